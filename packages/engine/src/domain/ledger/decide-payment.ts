/**
 * What money does to an order. Decisions only; read and applied in one transaction.
 *
 * Laws: money is never lost (it is applied, parked, or due back); an order is paid at most once, whatever comes twice; a
 * refund is of one whole payment (see refundedBy), and leaves the order alone when that one was too much; an order that has
 * ended gets units only through a new claim, never by changing its state (P16).
 */
import { type Charge, isWalletReference } from '../order/charge.ts';
import type { Order } from '../order/order.ts';
import { isSameNotice, type Payment, type PaymentNotice, type PaymentState } from '../order/payment.ts';
import {
  changeOrder,
  type EndFacts,
  type LedgerChanges,
  paymentKey,
  putCharge,
  putPayment,
  type ToldPayment,
  tell,
} from './changes.ts';
import { wayBackOf } from './release.ts';

export interface PaymentView extends EndFacts {
  /** Null: not settled yet, or there is no such order. */
  readonly order: Order | null;
  /** What is known of this reference and outcome. */
  readonly known: Payment | null;
  /** Which payment the notice is the refund of, as refundedBy says; null when it is none, or of no payment that is known. */
  readonly refunded: Payment | null;
  /** Other payments of the order that are parked or reclaiming. */
  readonly open: readonly Payment[];
  /** What the order costs; null when nothing is known of it. */
  readonly amountDue: number | null;
  /** The order's charge; null when it has none. */
  readonly charge: Charge | null;
}

export type PaymentAnswer =
  | { readonly kind: 'taken'; readonly payment: Payment; readonly order: Order | null }
  /** It was taken before; nothing changed. */
  | { readonly kind: 'repeated'; readonly payment: Payment; readonly order: Order | null }
  /** The reference was used for something else. */
  | { readonly kind: 'content_differs'; readonly payment: Payment }
  /** It is not what the order costs, or of a refund not what was paid; nothing was written. */
  | { readonly kind: 'amount_differs'; readonly order: Order; readonly amountDue: number };

export function decidePayment(changes: LedgerChanges, view: PaymentView, notice: PaymentNotice): PaymentAnswer {
  const { known, order } = view;
  if (known && !isSameNotice(known, notice)) return { kind: 'content_differs', payment: known };
  if (known) return { kind: 'repeated', payment: known, order };
  const amountDue = notice.outcome === 'refunded' ? (view.refunded?.amount ?? view.amountDue) : view.amountDue;
  if (order && amountDue !== null && differs(notice, amountDue)) return { kind: 'amount_differs', order, amountDue };
  const { payment, order: after } = applyNotice(changes, view, notice);
  return { kind: 'taken', payment, order: after };
}

/**
 * Of an order's payments, in the order in which they came, the one that a refund gives back: that of its reference; for a
 * reference of the refund's own, the first that is due back and has not been given back. Null: the order's own, or none yet.
 */
export function refundedBy(payments: readonly Payment[], reference: string): Payment | null {
  const has = (outcome: Payment['outcome'], name: string) =>
    payments.some((each) => each.outcome === outcome && each.reference === name);
  const paid = payments.filter(({ outcome }) => outcome === 'paid');
  const named = paid.find((payment) => payment.reference === reference);
  if (named) return named;
  const isStranger = (each: Payment) =>
    each.outcome === 'refunded' && each.state === 'applied' && !has('paid', each.reference);
  const isDueBack = (each: Payment) => each.state === 'refund_due' && !has('refunded', each.reference);
  return paid.filter(isDueBack)[payments.filter(isStranger).length] ?? null;
}

/** What an order has open when something else is done to it. */
export type OpenMoney = Pick<PaymentView, 'open' | keyof EndFacts>;

/** Applies the payments that were parked until their order was settled, oldest first, and the refunds that came before them. */
export function applyParked(changes: LedgerChanges, settled: Order, money: OpenMoney, amountDue: number | null): Order {
  let order = settled;
  for (const { state, ...notice } of money.open) {
    if (state !== 'parked' || notice.outcome !== 'paid') continue;
    const view = { ...money, order, known: null, refunded: null, charge: null, amountDue };
    order = applyNotice(changes, view, notice).order ?? order;
  }
  return order;
}

/** Refunds that came before their payment take effect, now that it has its place. */
export function settleRefunds(changes: LedgerChanges, money: OpenMoney, order: Order, payment: Payment): Order {
  let after = order;
  for (const refund of openNow(changes, money)) {
    if (refund.outcome !== 'refunded' || refund.state !== 'parked') continue;
    if (!isRefundOf(money, refund, payment)) continue;
    putPayment(changes, { ...refund, state: 'applied' });
    const isWhole = payment.amount === null || !differs(refund, payment.amount);
    if (!isWhole) continue;
    const facts = { ...money, payment: givenBack(refund, payment) };
    if (takesBack(after, payment)) after = changeOrder(changes, after, 'refunded', facts);
    else tellOfSurplus(changes, after, payment, facts);
  }
  return after;
}

function applyNotice(
  changes: LedgerChanges,
  before: PaymentView,
  notice: PaymentNotice,
): { readonly payment: Payment; readonly order: Order | null } {
  const view = { ...before, payment: notice.outcome === 'refunded' ? givenBack(notice, before.refunded) : notice };
  const { order } = view;
  const put = (state: PaymentState, after: Order | null) => {
    const payment = { ...notice, state };
    putPayment(changes, payment);
    const hasPlace = after && notice.outcome === 'paid' && state !== 'reclaiming';
    return { payment, order: hasPlace ? settleRefunds(changes, view, after, payment) : after };
  };
  // A failed payment leaves the order as it is, until it is due.
  if (notice.outcome === 'failed') return put('applied', order);
  if (!order) return put('parked', null);
  if (notice.outcome === 'refunded') return giveBack(changes, view, order, put);
  // Of the wrong amount it could only have come before its order; of points that are due back it has come too late.
  const isUnwanted = isWrongAmount(view, notice) || isOfChargeThatIsOver(view, notice);
  return isUnwanted ? putSurplus(changes, view, order, put) : takeMoney(changes, view, order, put);
}

function isWrongAmount({ amountDue }: PaymentView, notice: PaymentNotice): boolean {
  return notice.outcome === 'paid' && amountDue !== null && differs(notice, amountDue);
}

/** A failed payment brought nothing, whatever it was of; who does not tell the amount is believed. */
function differs({ outcome, amount }: PaymentNotice, amountDue: number): boolean {
  return outcome !== 'failed' && amount !== null && amount !== amountDue;
}

function isOfChargeThatIsOver({ charge }: PaymentView, { reference }: PaymentNotice): boolean {
  return isWalletReference(reference) && (charge?.state === 'due_back' || charge?.state === 'closed');
}

type Put = (state: PaymentState, after: Order | null) => { readonly payment: Payment; readonly order: Order | null };

function takeMoney(changes: LedgerChanges, view: PaymentView, order: Order, put: Put): ReturnType<Put> {
  switch (order.state) {
    case 'pending':
      return put('applied', changeOrder(changes, order, 'paid', view));
    case 'cancelled':
    case 'expired':
      // Of two late payments one claims the units again; the other is due back.
      if (openNow(changes, view).some((open) => open.state === 'reclaiming'))
        return putSurplus(changes, view, order, put);
      // No gate of a closed sale claims again, and of a settled one none may be there to say so.
      if (wayBackOf(view.saleState) === 'quota') return put('reclaiming', order);
      return put('refund_due', changeOrder(changes, order, 'paid_unfulfilled', view));
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
  tell(changes, order, 'order.refund_due', view);
  return put('refund_due', order);
}

/** It went back, and the order is as it was. */
function tellOfSurplus(
  changes: LedgerChanges,
  order: Order,
  payment: Payment | null,
  facts: Pick<EndFacts, 'nowMs' | 'payment'>,
): void {
  if (payment?.state === 'refund_due') tell(changes, order, 'order.refunded', facts);
}

/** A refund under a reference of its own is told by the payment whose money went back, as its `refund_due` was. */
function givenBack(refund: PaymentNotice, payment: Payment | null): ToldPayment {
  return { reference: payment?.reference ?? refund.reference, amount: refund.amount ?? payment?.amount ?? null };
}

function giveBack(changes: LedgerChanges, view: PaymentView, order: Order, put: Put): ReturnType<Put> {
  if (!takesBack(order, view.refunded)) tellOfSurplus(changes, order, view.refunded, view);
  switch (order.state) {
    case 'paid':
    case 'fulfilled':
    case 'paid_unfulfilled': {
      if (!takesBack(order, view.refunded)) return put('applied', order);
      // The back end gives an exchange up: its points go back, too.
      if (view.charge?.state === 'taken') putCharge(changes, { ...view.charge, state: 'due_back' });
      return put('applied', changeOrder(changes, order, 'refunded', view));
    }
    case 'refunded':
      return put('applied', order);
    case 'queued':
    case 'pending':
    case 'cancelled':
    case 'expired':
    case 'refused':
    case 'lost':
      // It overtook its payment, or that one still looks for units; of one that was too much it is told and done.
      return put(view.refunded?.state === 'refund_due' ? 'applied' : 'parked', order);
  }
}

/** Whether the refund of this payment is the end of the order; one that names no payment we know is of the order itself. */
function takesBack(order: Order, payment: Payment | null): boolean {
  if (order.state === 'paid_unfulfilled') return true;
  return (order.state === 'paid' || order.state === 'fulfilled') && payment?.state !== 'refund_due';
}

/** By reference; one of no payment that is known goes with the first that comes. */
function isRefundOf(money: OpenMoney, refund: Payment, payment: Payment): boolean {
  if (refund.reference === payment.reference) return true;
  return !money.open.some((open) => open.outcome === 'paid' && open.reference === refund.reference);
}

/** The order's other payments as this very transaction leaves them: of two that were parked, the second must see the first. */
function openNow(changes: LedgerChanges, money: OpenMoney): readonly Payment[] {
  return money.open.map((payment) => changes.payments.get(paymentKey(payment)) ?? payment);
}
