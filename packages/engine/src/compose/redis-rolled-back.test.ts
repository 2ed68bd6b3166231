/** A Redis that wakes with the data of two seconds ago: nothing is sold twice, and it sells again within seconds. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { openRedisWorld, type RedisWorld } from './redis-world.contract.ts';

const found = await startRedis();
const SALE = 'sale-1';
const SELLS_AGAIN_MS = 5_000;
const ROLLED_BACK_MS = 2_000;

describe.skipIf('missing' in found)('a Redis whose data directory is of two seconds ago', { timeout: 60_000 }, () => {
  const server = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  let world: RedisWorld;
  beforeEach(async () => {
    world = await openRedisWorld(server().url);
    await world.sale(SALE, 60);
  });
  afterEach(() => world.close());
  afterAll(() => ('missing' in found ? undefined : server().stop()));

  async function buyers(prefix: string, count: number): Promise<void> {
    for (let buyer = 0; buyer < count; buyer++) {
      expect(await world.buyPatiently(SALE, `${prefix}${buyer}`)).toBe('claimed');
    }
  }

  test('sells what the ledger has not sold, and misses what only the lost seconds knew (K23)', async () => {
    await buyers('a', 20);
    expect(await world.settle()).toHaveLength(20);
    await server().admin.save();
    await pause(ROLLED_BACK_MS);
    await buyers('b', 25);
    expect(await world.settle(10)).toHaveLength(10);
    await server().crash();
    await server().restart();
    // It wakes with what was saved: 40 are left, it says, of which the ledger has sold 10.
    expect(await server().admin.dbsize()).toBeGreaterThan(0);
    const backAtMs = Date.now();
    expect(await world.buyPatiently(SALE, 'b0', SELLS_AGAIN_MS)).toBe('replayed');
    expect(await world.buyPatiently(SALE, 'after', SELLS_AGAIN_MS)).toBe('claimed');
    expect(Date.now() - backAtMs).toBeLessThan(SELLS_AGAIN_MS);
    await world.settle();
    const missing = (await world.missing()).map(({ buyerId }) => buyerId);
    expect(missing.toSorted()).toEqual(Array.from({ length: 15 }, (_, at) => `b${at + 10}`).toSorted());

    for (let buyer = 0; (await world.buyPatiently(SALE, `last${buyer}`)) !== 'dry'; buyer++);
    while ((await world.settle()).length > 0);
    await expect.poll(() => world.balanced(SALE), { timeout: 10_000 }).toBe(true);
    expect(await world.sold(SALE)).toBe(60);
  });
});
