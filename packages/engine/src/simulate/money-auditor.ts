/**
 * The auditor of money: each notice of a payment is applied to its order, or due back, or waits for something that can still
 * come; never two of these, and never none. It asks the ledger itself, by saying each notice again: a repeat changes nothing.
 */
import type { OrderId } from '../domain/ids.ts';
import type { Orders } from '../ports/orders.ts';
import { type Books, type OrderRecord, type PaymentRecord, paymentsOf } from './books.ts';
import type { Report } from './violation.ts';

export interface MoneyOf {
  readonly orderId: OrderId;
  readonly report: Report;
}

/** Brings the books up to date with what became of an order's notices. */
export async function readPayments(books: Books, orders: Orders, { orderId, report }: MoneyOf): Promise<void> {
  for (const record of paymentsOf(books, orderId)) {
    const result = await orders.notePayment(record.notice);
    if (result.kind !== 'repeated') {
      report('a notice is never forgotten', orderId, result.kind);
      continue;
    }
    const { payment } = result;
    const isBack = record.state === 'applied' || record.state === 'refund_due';
    if (isBack && payment.state !== record.state) {
      report('money that has its place stays there', orderId, `${record.state}, then ${payment.state}`);
    }
    record.state = payment.state;
    record.isLate ||= payment.state === 'reclaiming';
  }
}

/** What must be true of an order's money after every step. */
export function judgeMoney(books: Books, orderId: OrderId, report: Report): void {
  const order = books.orders.get(orderId);
  const payments = paymentsOf(books, orderId);
  const paid = payments.filter(({ notice }) => notice.outcome === 'paid');
  const applied = paid.filter(({ state }) => state === 'applied');
  const told = `${order?.state} with ${payments.map(({ notice, state }) => `${notice.outcome} ${state}`).join(', ')}`;
  if (!order) {
    const isWaiting = payments.every(({ notice, state }) => state === 'parked' || notice.outcome === 'failed');
    if (!isWaiting) report('money waits for its order', orderId, told);
    return;
  }
  if (paid.some(({ state }) => state === 'parked')) report('money waits for settlement only', orderId, told);
  // Nothing is paid for a gift.
  const price = books.draft?.offer.kind === 'gift_pack' ? 0 : 1;
  if (applied.length !== (wasPaid(order) ? price : 0)) report('an order is paid by one payment', orderId, told);
  const reclaiming = paid.filter(({ state }) => state === 'reclaiming');
  const isEnded = order.state === 'cancelled' || order.state === 'expired';
  if (reclaiming.length > (isEnded ? 1 : 0)) report('late money waits for an ended order', orderId, told);
  // Points that were given up are heard of too late to look for any.
  const isGivenUp = books.givenUpCharges.has(orderId);
  if (isEnded && paid.length > 0 && reclaiming.length === 0 && !isGivenUp)
    report('late money looks for units', orderId, told);
  if (order.state === 'paid_unfulfilled' && paid.length === 0) report('what is due back was paid', orderId, told);
  judgeRefunds(order, payments, (promise) => report(promise, orderId, told));
}

/** A refund is of the payment that has its reference. */
function judgeRefunds(order: OrderRecord, payments: readonly PaymentRecord[], report: (promise: string) => void): void {
  let [isOwn, mayBe] = [false, false];
  for (const { notice, state } of payments) {
    if (notice.outcome !== 'refunded') continue;
    const of = payments.find((each) => each.notice.outcome === 'paid' && each.notice.reference === notice.reference);
    const hasPlace = of?.state === 'applied' || of?.state === 'refund_due';
    if (hasPlace && state === 'parked') report('a refund waits for its payment only');
    // One of no payment that is known is of the order itself.
    const isOfOrder = of === undefined && state === 'applied' && wasPaid(order);
    // Or of what was too much, if there was anything.
    const isOfSurplus = isOfOrder && payments.some((each) => each.state === 'refund_due');
    if (of?.state === 'applied' || (isOfOrder && !isOfSurplus)) isOwn = true;
    if ((of?.state === 'refund_due' && !wasPaid(order)) || isOfSurplus) mayBe = true;
  }
  if (order.state === 'refunded' && !isOwn && !mayBe) report('an order is refunded by the refund of its payment');
  if (order.state !== 'refunded' && isOwn) report('a refund takes effect');
  // A surplus that went back while the other still looked for units leaves that other one due.
  const isAllBack = payments.every((each) => each.state !== 'refund_due' || hasRefund(payments, each));
  if (order.state === 'paid_unfulfilled' && mayBe && isAllBack)
    report('a refund of money that is due back takes effect');
}

function hasRefund(payments: readonly PaymentRecord[], { notice: { reference } }: PaymentRecord): boolean {
  return payments.some(({ notice }) => notice.outcome === 'refunded' && notice.reference === reference);
}

function wasPaid({ states }: OrderRecord): boolean {
  return states.some(({ state }, at) => {
    // Paid and refunded in one step: a refund that came before its payment.
    const isBoth = state === 'refunded' && states[at - 1]?.state === 'pending';
    return isBoth || state === 'paid' || state === 'fulfilled';
  });
}

/** At rest nothing waits any more that has an order. */
export function judgeMoneyAtRest(books: Books, report: Report): void {
  for (const [orderId, payments] of books.payments) {
    for (const { notice, state } of payments) {
      const isPaid = payments.some((each) => each.notice.outcome === 'paid');
      const isStuck = state === 'reclaiming' || (state === 'parked' && books.orders.has(orderId) && isPaid);
      if (isStuck) report('no money stays where it waits', orderId, `${notice.outcome} is ${state}`);
    }
  }
}

export function isMoneyAtRest(books: Books): boolean {
  return ![...books.payments.values()].flat().some(({ state }) => state === 'reclaiming');
}
