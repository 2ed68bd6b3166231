/**
 * The operator's back end says what it knows of money: paid, failed or refunded; once or several times, early or late. Late
 * money starts to look for units at once.
 */
import type { Order } from '../domain/order/order.ts';
import type { Payment, PaymentNotice } from '../domain/order/payment.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { followChange } from './follow-change.ts';
import { type ReclaimDeps, reclaimUnits } from './reclaim-units.ts';

export interface PaymentNoted {
  readonly kind: 'noted';
  readonly payment: Payment;
  /** Null while the order is not settled. */
  readonly order: Order | null;
  readonly isRepeated: boolean;
}

export async function notePayment(deps: ReclaimDeps, notice: PaymentNotice): Promise<PaymentNoted | Refusal> {
  const result = await deps.orders.notePayment(notice);
  if (result.kind === 'content_differs') return refuse('content_differs');
  if (result.kind === 'amount_differs') return refuse('amount_differs', { amountDue: result.amountDue });
  const { payment, order } = result;
  if (result.kind === 'taken' && order) {
    await followChange(deps, [order], result.release ? [result.release] : []);
    if (payment.state === 'reclaiming') await reclaimUnits(deps, payment, order);
  }
  return { kind: 'noted', payment, order, isRepeated: result.kind === 'repeated' };
}
