/** Tells every node which orders changed, so that those who wait or watch need not ask. A hint: what is missed is polled. */
import type { Order } from '../domain/order/order.ts';

export interface OrderFeed {
  publish(orders: readonly Order[]): void;
  subscribe(listener: (orders: readonly Order[]) => void): () => void;
}
