/** Changed orders, told to every process: within this one at once, to the others over pub/sub. */
import { randomUUID } from 'node:crypto';
import type { Order } from '../../domain/order/order.ts';
import type { OrderFeed } from '../../ports/order-feed.ts';
import type { Hints } from './hints.ts';
import type { Names } from './keys.ts';

/** Orders of one message: some 60 kB. */
const TOLD_AT_ONCE = 200;

interface Message {
  readonly from: string;
  readonly orders: readonly Order[];
}

export function createRedisOrderFeed(hints: Hints, { ordersChannel }: Names): OrderFeed {
  const listeners = new Set<(orders: readonly Order[]) => void>();
  const self = randomUUID();
  const tell = (orders: readonly Order[]) => {
    for (const listener of listeners) listener(orders);
  };
  hints.on(ordersChannel, (text) => {
    if (text === null) return;
    const { from, orders }: Message = JSON.parse(text);
    if (from !== self) tell(orders);
  });
  return {
    publish(orders) {
      tell(orders);
      for (let at = 0; at < orders.length; at += TOLD_AT_ONCE) {
        const message: Message = { from: self, orders: orders.slice(at, at + TOLD_AT_ONCE) };
        hints.publish(ordersChannel, JSON.stringify(message));
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
