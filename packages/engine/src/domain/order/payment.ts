/**
 * Payments: what an operator's back end says of money. They come once or several times, early or late, in any order; the
 * reference and the outcome together name one, and saying it again changes nothing.
 */
import type { OrderId } from '../ids.ts';

export const PAYMENT_OUTCOMES = ['paid', 'failed', 'refunded'] as const;

export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

export interface PaymentNotice {
  readonly orderId: OrderId;
  readonly reference: string;
  readonly outcome: PaymentOutcome;
  /** In the currency's smallest unit; null when the back end does not tell. */
  readonly amount: number | null;
}

export const PAYMENT_STATES = [
  /** It has had its effect. */
  'applied',
  /** The order cannot take it yet (it is not settled, or not paid); it will. */
  'parked',
  /** Late money: its order had ended, and units are being claimed for it again. */
  'reclaiming',
  /** Money for which there is nothing: give it back. */
  'refund_due',
] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

export interface Payment extends PaymentNotice {
  readonly state: PaymentState;
}

export function isSameNotice(a: PaymentNotice, b: PaymentNotice): boolean {
  return a.orderId === b.orderId && a.reference === b.reference && a.outcome === b.outcome && a.amount === b.amount;
}

/** Keeps the order in which they come. */
export function byOrder(payments: readonly Payment[]): ReadonlyMap<OrderId, readonly Payment[]> {
  const lists = new Map<OrderId, Payment[]>();
  for (const payment of payments) {
    const list = lists.get(payment.orderId);
    if (list) list.push(payment);
    else lists.set(payment.orderId, [payment]);
  }
  return lists;
}
