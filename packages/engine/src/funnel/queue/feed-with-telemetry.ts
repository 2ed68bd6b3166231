/** Counts the orders that this process changed. What others tell of theirs they count themselves. */
import type { OrderFeed } from '../../ports/order-feed.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export function feedWithTelemetry(feed: OrderFeed, telemetry: Pick<Telemetry, 'ordersChanged'>): OrderFeed {
  return {
    publish(orders) {
      telemetry.ordersChanged(orders.map(({ state }) => state));
      feed.publish(orders);
    },
    subscribe: (listener) => feed.subscribe(listener),
  };
}
