/**
 * Late money for which the gate had no units: the order stays without, and the money is due back. Only while the payment
 * still waits; if its claim was settled meanwhile, the order has been revived and nothing changes.
 */
import { awaitsLateMoney, type Order } from '../order/order.ts';
import type { Payment } from '../order/payment.ts';
import { changeOrder, type LedgerChanges, putPayment } from './changes.ts';
import { type OpenMoney, settleRefunds } from './decide-payment.ts';

export function decideGiveUp(changes: LedgerChanges, order: Order, payment: Payment, money: OpenMoney): Order {
  if (payment.state !== 'reclaiming' || !awaitsLateMoney(order.state)) return order;
  const due: Payment = { ...payment, state: 'refund_due' };
  putPayment(changes, due);
  return settleRefunds(changes, money, changeOrder(changes, order, 'paid_unfulfilled', { ...money, payment }), due);
}
