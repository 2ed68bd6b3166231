/** Tells every node which orders were settled, so that those who wait need not ask. A hint: what is missed is polled. */
import type { Order } from '../domain/order/order.ts';

export interface SettledFeed {
  publish(orders: readonly Order[]): void;
  subscribe(listener: (orders: readonly Order[]) => void): () => void;
}
