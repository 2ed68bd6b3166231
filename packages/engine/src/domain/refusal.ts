/** A refusal: an answer, not an error. One reason of the closed table, and what helps the one who was refused. */
import { REASONS, type Reason, type Retry } from '@sluice/contract/codes';
import type { OrderId } from './ids.ts';

export interface Refusal {
  readonly kind: 'refused';
  readonly reason: Reason;
  /** When it is worth coming again, milliseconds since 1970 by the wall clock. */
  readonly retryAtMs?: number;
  /** Or how long to wait. */
  readonly retryAfterMs?: number;
  /** With `over_limit`: the orders that use the limit up; with `sold_out` and `none_left_now`: those that the buyer has. */
  readonly liveOrderIds?: readonly OrderId[];
  /** With `not_enough_left`. */
  readonly leftUnits?: number;
  /** With `amount_differs`: what the order costs. */
  readonly amountDue?: number;
}

export function refuse(reason: Reason, details: Omit<Refusal, 'kind' | 'reason'> = {}): Refusal {
  return { kind: 'refused', reason, ...details };
}

/** Whether it is worth coming again after a refusal of this reason. */
export function retryOf(reason: Reason): Retry {
  return REASONS[reason].retry;
}
