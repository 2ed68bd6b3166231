/**
 * What the engine counts of itself. Every call is one step in memory, and none may fail. Batches are told of, never single
 * claims; who is turned away is counted one by one, by stage and reason, both of closed lists, so that figures stay bounded.
 */

import type { FaultCode } from '../domain/fault.ts';
import type { OrderState } from '../domain/order/order.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { WebhookAnswer } from './webhook-sender.ts';

/** In the order in which a try meets them. */
export type Stage =
  | 'overload'
  | 'address_limit'
  | 'sale_limit'
  | 'node_limit'
  | 'identity'
  | 'account_limit'
  | 'token'
  | 'admission'
  | 'gate';

export interface Telemetry {
  turnedAway(stage: Stage, reason: Refusal['reason']): void;
  /** One call to the gate: how many claims it carried and took. */
  batchJudged(batch: { readonly claims: number; readonly taken: number; readonly replayed: number }): void;
  /** One group in the ledger. */
  groupSettled(group: { readonly claims: number; readonly refused: number; readonly durationMs: number }): void;
  /** How long the ledger's ceiling made settlement rest before a group. */
  settlementRested(restMs: number): void;
  settlementFailed(code: FaultCode): void;
  /** Orders that were told to their watchers, by the state they are in now. */
  ordersChanged(states: readonly OrderState[]): void;
  /** One call to the wallet: the kind of its answer, or the code of the fault that it met. */
  walletAnswered(call: 'charge' | 'refund', answer: string): void;
  /** One try of a webhook delivery. */
  webhookAnswered(answer: WebhookAnswer['kind']): void;
}
