/** Orders, as the ledger holds them. */
import type { OrderId } from '../domain/ids.ts';
import type { Order } from '../domain/order/order.ts';

export interface Orders {
  find(orderId: OrderId): Promise<Order | null>;
}
