/** Orders in the words of the wire. */
import type { AdminOrderAnswer, OrderAnswer } from '@sluice/contract';
import type { KnownOrder, Order } from '../domain/order/order.ts';

export function orderAnswer(order: KnownOrder): OrderAnswer {
  const { orderId, saleId, units, state, refusal, settledAtMs, dueAtMs } = order;
  return { orderId, saleId, units, status: state, refusal, settledAtMs, dueAtMs };
}

export function adminOrderAnswer(order: Order): AdminOrderAnswer {
  const { region, channel } = order.origin;
  return { ...orderAnswer(order), settledAtMs: order.settledAtMs, buyer: order.buyerId, region, channel };
}
