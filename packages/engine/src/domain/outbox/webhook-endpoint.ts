/** Webhook endpoints: where events are told, which of them, and the secrets that sign them. */
import type { EventType } from './outbox-event.ts';

export interface NewEndpoint {
  /** The operator's own name for it. */
  readonly id: string;
  readonly url: string;
  /** Null: all of them. */
  readonly eventTypes: readonly EventType[] | null;
  readonly secret: string;
}

export interface WebhookEndpoint extends NewEndpoint {
  /** Signs beside `secret` until then. */
  readonly oldSecret: { readonly secret: string; readonly untilMs: number } | null;
  /** By the ledger's clock; what happened before is not told. */
  readonly createdAtMs: number;
}

/** Each event is written once for each of them. */
export const MAX_ENDPOINTS = 20;

export function wants(endpoint: Pick<WebhookEndpoint, 'eventTypes' | 'createdAtMs'>, type: EventType, atMs: number) {
  const { eventTypes, createdAtMs } = endpoint;
  return atMs >= createdAtMs && (eventTypes === null || eventTypes.includes(type));
}

export type RotationDecision = 'rotate' | 'under_way';

/**
 * A receiver knows the secret that it was given last. A second rotation before the first has ended would drop the one it may
 * still verify with, unless that is what is wanted: a secret that has leaked.
 */
export function decideRotation(
  endpoint: Pick<WebhookEndpoint, 'oldSecret'>,
  dropsOld: boolean,
  nowMs: number,
): RotationDecision {
  const isUnderWay = endpoint.oldSecret !== null && endpoint.oldSecret.untilMs > nowMs;
  return isUnderWay && !dropsOld ? 'under_way' : 'rotate';
}

/** Newest first: those that sign at this moment. */
export function secretsAt({ secret, oldSecret }: Pick<WebhookEndpoint, 'secret' | 'oldSecret'>, nowMs: number) {
  return oldSecret !== null && oldSecret.untilMs > nowMs ? [secret, oldSecret.secret] : [secret];
}
