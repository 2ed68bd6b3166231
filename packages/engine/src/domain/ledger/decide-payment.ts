/**
 * What money does to an order. Decisions only; read and applied in one transaction.
 *
 * Laws: money is never lost (it is applied, parked, or due back); an order is paid at most once, whatever comes twice; an
 * order that has ended gets units only through a new claim, never by changing its state (P16).
 */
import type { Order } from '../order/order.ts';
import { isSameNotice, type Payment, type PaymentNotice, type PaymentState } from '../order/payment.ts';
import { changeOrder, type LedgerChanges, paymentKey, putPayment, tell } from './changes.ts';

export interface PaymentView {
  /** Null: not settled yet, or there is no such order. */
  readonly order: Order | null;
  /** What is known of this reference and outcome. */
  readonly known: Payment | null;
  /** Other payments of the order that are parked or reclaiming. */
  readonly open: readonly Payment[];
  readonly nowMs: number;
  /** Of the order's segment. */
  readonly epoch: number;
}

export type PaymentAnswer =
  | { readonly kind: 'taken'; readonly payment: Payment; readonly order: Order | null }
  /** It was taken before; nothing changed. */
  | { readonly kind: 'repeated'; readonly payment: Payment; readonly order: Order | null }
  /** The reference was used for something else. */
  | { readonly kind: 'content_differs'; readonly payment: Payment };

export function decidePayment(changes: LedgerChanges, view: PaymentView, notice: PaymentNotice): PaymentAnswer {
  const { known, order } = view;
  if (known && !isSameNotice(known, notice)) return { kind: 'content_differs', payment: known };
  if (known) return { kind: 'repeated', payment: known, order };
  const { payment, order: after } = applyNotice(changes, view, notice);
  return { kind: 'taken', payment, order: after };
}

/** Applies what was parked until its order was settled, oldest first. */
export function applyParked(changes: LedgerChanges, view: PaymentView, parked: readonly PaymentNotice[]): Order | null {
  let order = view.order;
  for (const notice of parked) order = applyNotice(changes, { ...view, order }, notice).order;
  return order;
}

function applyNotice(
  changes: LedgerChanges,
  view: PaymentView,
  notice: PaymentNotice,
): { readonly payment: Payment; readonly order: Order | null } {
  const { order } = view;
  const put = (state: PaymentState, after: Order | null) => {
    const payment = { ...notice, state };
    putPayment(changes, payment);
    return { payment, order: after };
  };
  // A failed payment leaves the order as it is, until it is due.
  if (notice.outcome === 'failed') return put('applied', order);
  if (!order) return put('parked', null);
  return notice.outcome === 'paid' ? takeMoney(changes, view, order, put) : giveBack(changes, view, order, put);
}

type Put = (state: PaymentState, after: Order | null) => { readonly payment: Payment; readonly order: Order | null };

function takeMoney(changes: LedgerChanges, view: PaymentView, order: Order, put: Put): ReturnType<Put> {
  switch (order.state) {
    case 'pending': {
      const paid = changeOrder(changes, order, 'paid', view);
      return put('applied', settleRefund(changes, view, paid));
    }
    case 'cancelled':
    case 'expired':
      // Of two late payments one claims the units again; the other is due back.
      if (openNow(changes, view).some((open) => open.state === 'reclaiming'))
        return putSurplus(changes, view, order, put);
      return put('reclaiming', order);
    case 'refused':
    case 'lost':
      return put('refund_due', changeOrder(changes, order, 'paid_unfulfilled', view));
    case 'paid':
    case 'fulfilled':
    case 'paid_unfulfilled':
    case 'refunded':
    case 'queued':
      return putSurplus(changes, view, order, put);
  }
}

/** Money beyond what the order costs. */
function putSurplus(changes: LedgerChanges, view: PaymentView, order: Order, put: Put): ReturnType<Put> {
  tell(changes, order, 'order.refund_due', view.nowMs);
  return put('refund_due', order);
}

function giveBack(changes: LedgerChanges, view: PaymentView, order: Order, put: Put): ReturnType<Put> {
  switch (order.state) {
    case 'paid':
    case 'fulfilled':
    case 'paid_unfulfilled':
      return put('applied', changeOrder(changes, order, 'refunded', view));
    case 'refunded':
      return put('applied', order);
    case 'queued':
    case 'pending':
    case 'cancelled':
    case 'expired':
    case 'refused':
    case 'lost':
      // The refund overtook its payment.
      return put('parked', order);
  }
}

/** A refund that came before its payment takes effect now. */
function settleRefund(changes: LedgerChanges, view: PaymentView, paid: Order): Order {
  const refund = openNow(changes, view).find((open) => open.outcome === 'refunded' && open.state === 'parked');
  if (!refund) return paid;
  putPayment(changes, { ...refund, state: 'applied' });
  return changeOrder(changes, paid, 'refunded', view);
}

/** The order's other payments as this very transaction leaves them: of two that were parked, the second must see the first. */
function openNow(changes: LedgerChanges, view: PaymentView): readonly Payment[] {
  return view.open.map((payment) => changes.payments.get(paymentKey(payment)) ?? payment);
}
