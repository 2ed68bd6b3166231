/** Changed orders, told within one process. */
import type { Order } from '../../domain/order/order.ts';
import type { OrderFeed } from '../../ports/order-feed.ts';

export function createMemoryOrderFeed(): OrderFeed {
  const listeners = new Set<(orders: readonly Order[]) => void>();
  return {
    publish(orders) {
      for (const listener of listeners) listener(orders);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
