/**
 * Brings a message to a receiver that a stranger runs. Promises: signed with every secret that is given; nobody but a public
 * address is spoken to, unless the operator allowed it; no redirect is followed; a try takes no longer, and reads no more of
 * the answer, than is bounded there. What goes wrong is an answer, not a fault.
 */
import type { EventMessage } from '../domain/outbox/outbox-event.ts';

export interface WebhookCall {
  readonly url: string;
  /** At least one. */
  readonly secrets: readonly string[];
  readonly message: EventMessage;
}

export type WebhookAnswer =
  | { readonly kind: 'delivered'; readonly status: number }
  /** `isFinal`: the receiver says that it wants no more of it. `retryAfterMs`: what it asked for, or 0. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly error: string;
      readonly isFinal: boolean;
      readonly retryAfterMs: number;
    }
  | { readonly kind: 'unanswered'; readonly error: string }
  /** Its address is one that must not be spoken to. */
  | { readonly kind: 'forbidden'; readonly error: string };

export interface WebhookSender {
  send(call: WebhookCall): Promise<WebhookAnswer>;
  /** Null: it may be an endpoint's, as far as can be told without looking its name up. Else what is wrong. */
  mistakeIn(url: string): string | null;
  newSecret(): string;
  /** The longest that a try takes. */
  readonly timeoutMs: number;
}
