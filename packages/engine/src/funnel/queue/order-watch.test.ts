import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { createMemoryOrderFeed } from '../../adapters/memory/order-feed.ts';
import type { Order } from '../../domain/order/order.ts';
import { createOrderWatch } from './order-watch.ts';

const orderOf = (orderId: string) => ({ orderId, state: 'pending' }) as Order;

describe('waiting for an order', () => {
  const clock = createManualClock(0);
  const feed = createMemoryOrderFeed();
  const watch = createOrderWatch(feed, clock);

  it('hears of one that was settled before or after it began to listen', async () => {
    const early = watch.begin('a');
    feed.publish([orderOf('x'), orderOf('a')]);
    expect(await early.settled(100)).toEqual(orderOf('a'));
    early.end();
    const late = watch.begin('a');
    const settled = late.settled(100);
    feed.publish([orderOf('a')]);
    expect(await settled).toEqual(orderOf('a'));
    late.end();
  });

  it('serves all who wait for the same order, each until it ends', async () => {
    const waits = [watch.begin('b'), watch.begin('b'), watch.begin('b')];
    waits[0]?.end();
    const settled = waits.slice(1).map((wait) => wait.settled(100));
    feed.publish([orderOf('b')]);
    expect(await Promise.all(settled)).toEqual([orderOf('b'), orderOf('b')]);
  });

  it('gives up in time', async () => {
    const settled = watch.begin('c').settled(100);
    clock.advance(100);
    expect(await settled).toBeNull();
  });
});
