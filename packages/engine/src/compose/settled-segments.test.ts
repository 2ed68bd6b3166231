/** A worker looks through the segments of sales that live, not through those of all sales that ever were. */
import { expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { TEST_NAMES } from '../adapters/redis/test-names.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { describeOnRedis, openSale } from './engines-on-redis.contract.ts';

describeOnRedis('segments of a settled sale', { found: await startRedis() }, ({ server, start }) => {
  test('are looked at no more', async () => {
    const { engine } = await start(createMemoryLedger({ clock }));
    for (const id of ['ended', 'living']) await openSale(engine, id, { totalUnits: 8, segments: 4 });
    const listed = () => server.admin.scard(TEST_NAMES.segments);
    expect(await listed()).toBe(8);
    await engine.operateSale('ended', 'close');
    const state = async () => {
      await engine.settleSale('ended');
      return (await engine.showSale('ended'))?.state;
    };
    await expect.poll(state, { timeout: 20_000 }).toBe('settled');
    await expect.poll(listed, { timeout: 10_000 }).toBe(4);
    // Nor does who looks at the queue put them in again.
    await engine.read();
    expect(await listed()).toBe(4);
  });
});
