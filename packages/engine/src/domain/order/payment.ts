/**
 * Payments: what an operator's back end says of money. They come once or several times, early or late, in any order; the
 * reference and the outcome together name one, and saying it again changes nothing.
 */
import type { PaymentOutcome, PaymentState } from '@sluice/contract/codes';
import type { OrderId } from '../ids.ts';

export type { PaymentOutcome, PaymentState };

export interface PaymentNotice {
  readonly orderId: OrderId;
  readonly reference: string;
  readonly outcome: PaymentOutcome;
  /** In the currency's smallest unit; null when the back end does not tell. */
  readonly amount: number | null;
}

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
