/** What operators do with webhook endpoints: add, list, take away, rotate a secret, try one out, look after dead letters. */
import type { EventMessage, EventType } from '../domain/outbox/outbox-event.ts';
import { secretsAt } from '../domain/outbox/webhook-endpoint.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { DeadLetterPage, Outbox } from '../ports/outbox.ts';
import type { WebhookAnswer, WebhookSender } from '../ports/webhook-sender.ts';
import type { AddEndpointResult, EndpointReading, RotateSecretResult, Webhooks } from '../ports/webhooks.ts';

export interface WebhookOperationsDeps {
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly idSource: IdSource;
}

export interface EndpointRequest {
  readonly id: string;
  readonly url: string;
  /** Null: all. */
  readonly eventTypes: readonly EventType[] | null;
}

export type AddEndpointAnswer = AddEndpointResult | { readonly kind: 'mistaken'; readonly sentence: string };

export interface WebhookOperations {
  /** The secret is told in this answer and never again. */
  add(request: EndpointRequest): Promise<AddEndpointAnswer>;
  list(): Promise<readonly EndpointReading[]>;
  remove(endpointId: string): Promise<boolean>;
  /** A new secret; the old one signs, too, for OLD_SECRET_MS, unless it is to be dropped. */
  rotate(endpointId: string, dropsOld: boolean): Promise<RotateSecretResult>;
  /** Sends a message that tells nothing, at once and once; null: there is no such endpoint. */
  test(endpointId: string): Promise<WebhookAnswer | null>;
  /** Null: there is no such endpoint. */
  listDead(endpointId: string, after: number | null, max: number): Promise<DeadLetterPage | null>;
  /** How many are due again; null: there is no such endpoint. */
  replay(endpointId: string, deliveryId: number | null): Promise<number | null>;
}

/** Long enough for a receiver to be told the new one in working hours. */
const OLD_SECRET_MS = 24 * 60 * 60_000;

export function createWebhookOperations(deps: WebhookOperationsDeps): WebhookOperations {
  const { webhooks, outbox, sender, clock, idSource } = deps;
  return {
    async add(request) {
      const mistake = sender.mistakeIn(request.url);
      if (mistake !== null) return { kind: 'mistaken', sentence: mistake };
      return webhooks.add({ ...request, secret: sender.newSecret() });
    },
    list: () => webhooks.read(),
    remove: (endpointId) => webhooks.remove(endpointId),
    rotate: (endpointId, dropsOld) =>
      webhooks.rotate({ endpointId, secret: sender.newSecret(), keepOldMs: dropsOld ? 0 : OLD_SECRET_MS }),
    async test(endpointId) {
      const endpoint = await webhooks.find(endpointId);
      if (!endpoint) return null;
      const nowMs = clock.nowMs();
      const message: EventMessage = {
        ...{ id: `test.${idSource.newId()}`, type: 'webhook.test', atMs: nowMs, data: { endpoint: endpointId } },
      };
      return sender.send({ url: endpoint.url, secrets: secretsAt(endpoint, nowMs), message });
    },
    async listDead(endpointId, after, max) {
      return (await webhooks.find(endpointId)) ? outbox.listDead(endpointId, after, max) : null;
    },
    async replay(endpointId, deliveryId) {
      return (await webhooks.find(endpointId)) ? outbox.replay(endpointId, deliveryId) : null;
    },
  };
}
