/** Webhook endpoints, as the ledger holds them, with their secrets. Each call is one transaction. */
import type { NewEndpoint, WebhookEndpoint } from '../domain/outbox/webhook-endpoint.ts';

export type AddEndpointResult =
  | { readonly kind: 'added'; readonly endpoint: WebhookEndpoint }
  /** An endpoint of this id exists; nothing was changed. */
  | { readonly kind: 'exists' }
  | { readonly kind: 'too_many' };

export type RotateSecretResult =
  | { readonly kind: 'rotated'; readonly endpoint: WebhookEndpoint }
  /** The old secret of an earlier rotation still signs. */
  | { readonly kind: 'under_way'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'absent' };

export interface Rotation {
  readonly endpointId: string;
  readonly secret: string;
  /** How long the old one signs, too; 0: no more. */
  readonly keepOldMs: number;
}

export interface EndpointReading {
  readonly endpoint: WebhookEndpoint;
  readonly deliveries: number;
  readonly deadLetters: number;
}

export interface Webhooks {
  add(endpoint: NewEndpoint): Promise<AddEndpointResult>;
  find(endpointId: string): Promise<WebhookEndpoint | null>;
  /** By id. */
  list(): Promise<readonly WebhookEndpoint[]>;
  /** Likewise, with what waits for each. */
  read(): Promise<readonly EndpointReading[]>;
  /** Drops what waits for it, and its dead letters. False: it was not there. */
  remove(endpointId: string): Promise<boolean>;
  rotate(rotation: Rotation): Promise<RotateSecretResult>;
}
