/**
 * How a charge ends without its order. Decisions only; read and applied in one transaction.
 *
 * Law: points that were taken, or may have been, are the price of an order or go back; never both. So nobody gives points
 * back before the ledger has said that the order will not take them.
 */
import { type Charge, walletReference } from '../order/charge.ts';
import type { Order } from '../order/order.ts';
import { changeOrder, type LedgerChanges, putCharge, tell } from './changes.ts';
import { decidePayment, type PaymentView } from './decide-payment.ts';

/** Its order has ended and nobody knows whether points were taken: from now on a word that they were is too late. */
export function decideGiveUpCharge(changes: LedgerChanges, order: Order, charge: Charge): Charge {
  if (charge.state !== 'open' || order.state === 'pending') return charge;
  const givenUp: Charge = { ...charge, state: 'due_back' };
  putCharge(changes, givenUp);
  return givenUp;
}

/** What a refund needs to know. */
export type CloseView = Omit<PaymentView, 'known' | 'order' | 'charge'> & {
  readonly order: Order;
  readonly charge: Charge;
};

/**
 * The wallet has no points of this order and will take none: it refused, or gave back. An order that waits for them is
 * cancelled; one whose money was due back is refunded.
 */
export function decideCloseCharge(changes: LedgerChanges, view: CloseView): Order {
  const { order, charge, refunded } = view;
  if (charge.state === 'taken' || charge.state === 'closed') return order;
  if (refunded) {
    const { orderId, amount } = refunded;
    const notice = { orderId, amount, reference: walletReference(orderId), outcome: 'refunded' as const };
    const answer = decidePayment(changes, { ...view, known: null }, notice);
    putCharge(changes, { ...charge, state: 'closed' });
    return answer.kind === 'taken' ? (answer.order ?? order) : order;
  }
  putCharge(changes, { ...charge, state: 'closed' });
  if (order.state !== 'pending') return order;
  tell(changes, order, 'order.charge_refused', view);
  return changeOrder(changes, order, 'cancelled', view);
}
