/** The operator's back end has delivered what an order is for. Nothing moves: the units were sold already. */
import type { Order } from '../order/order.ts';
import { changeOrder, type EndFacts, type LedgerChanges } from './changes.ts';

export type FulfilmentDecision =
  | { readonly kind: 'fulfilled'; readonly order: Order }
  /** It was told before; nothing changes. */
  | { readonly kind: 'repeated'; readonly order: Order }
  /** Not paid, or the money has gone back. */
  | { readonly kind: 'wrong_state'; readonly order: Order }
  | { readonly kind: 'absent' };

export function decideFulfilment(changes: LedgerChanges, order: Order | null, facts: EndFacts): FulfilmentDecision {
  if (!order) return { kind: 'absent' };
  if (order.state === 'fulfilled') return { kind: 'repeated', order };
  if (order.state !== 'paid') return { kind: 'wrong_state', order };
  return { kind: 'fulfilled', order: changeOrder(changes, order, 'fulfilled', facts) };
}
