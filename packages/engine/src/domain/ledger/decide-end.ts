/**
 * How an unpaid order ends: by its buyer, by the operator, or by the clock. Decisions only; read and applied in one
 * transaction, so that of a payment and an end in the same instant one finds the order pending and the other does not.
 */
import type { BuyerId } from '../ids.ts';
import type { Order } from '../order/order.ts';
import { changeOrder, type EndFacts, type LedgerChanges } from './changes.ts';

export type CancelDecision =
  | { readonly kind: 'cancelled'; readonly order: Order }
  /** It was cancelled before; nothing changes. */
  | { readonly kind: 'repeated'; readonly order: Order }
  | { readonly kind: 'wrong_state'; readonly order: Order }
  /** Not settled yet, or not known here: the wish waits for it. */
  | { readonly kind: 'parked' }
  /** Another buyer's order is as unknown as one that is not there; nothing waits for it. */
  | { readonly kind: 'absent' };

/** `buyerId` null: by the operator. */
export function decideCancel(
  changes: LedgerChanges,
  order: Order | null,
  buyerId: BuyerId | null,
  facts: EndFacts,
): CancelDecision {
  if (!order) return { kind: 'parked' };
  if (buyerId !== null && order.buyerId !== buyerId) return { kind: 'absent' };
  if (order.state === 'cancelled') return { kind: 'repeated', order };
  if (order.state !== 'pending') return { kind: 'wrong_state', order };
  return { kind: 'cancelled', order: changeOrder(changes, order, 'cancelled', facts) };
}

/** Null when it is not due, or not unpaid any more: somebody was faster. */
export function decideExpiry(changes: LedgerChanges, order: Order, facts: EndFacts): Order | null {
  const isDue = order.state === 'pending' && order.dueAtMs !== null && order.dueAtMs <= facts.nowMs;
  return isDue ? changeOrder(changes, order, 'expired', facts) : null;
}
