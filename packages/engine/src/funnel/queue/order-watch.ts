/**
 * Whoever waits for an order to be settled hears of it here. Waiting begins before the claim is made, so that an order
 * settled in the meantime is not missed.
 */
import type { OrderId } from '../../domain/ids.ts';
import type { Order } from '../../domain/order/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OrderFeed } from '../../ports/order-feed.ts';

export interface OrderWait {
  /** The settled order, or null when `timeoutMs` passed without. */
  settled(timeoutMs: number): Promise<Order | null>;
  /** Must be called when nobody waits any more. */
  end(): void;
}

export interface OrderWatch {
  begin(orderId: OrderId): OrderWait;
  close(): void;
}

interface Waiter {
  order: Order | null;
  wake: ((order: Order) => void) | null;
}

export function createOrderWatch(feed: OrderFeed, clock: Clock): OrderWatch {
  // Bounded by the requests in hand.
  const waiters = new Map<OrderId, Set<Waiter>>();

  const close = feed.subscribe((orders) => {
    for (const order of orders) {
      for (const waiter of waiters.get(order.orderId) ?? []) {
        waiter.order = order;
        waiter.wake?.(order);
      }
    }
  });

  return {
    begin(orderId) {
      const waiter: Waiter = { order: null, wake: null };
      const others = waiters.get(orderId) ?? new Set();
      waiters.set(orderId, others.add(waiter));
      return {
        settled: (timeoutMs) =>
          waiter.order !== null ? Promise.resolve(waiter.order) : waitFor(waiter, clock, timeoutMs),
        end() {
          others.delete(waiter);
          if (others.size === 0) waiters.delete(orderId);
        },
      };
    },
    close,
  };
}

function waitFor(waiter: Waiter, clock: Clock, timeoutMs: number): Promise<Order | null> {
  return new Promise((resolve) => {
    const callOff = clock.after(timeoutMs, () => resolve(null));
    waiter.wake = (order) => {
      callOff();
      resolve(order);
    };
  });
}
