/** An entry of the queue is all that one call has won, and what becomes of one of its claims is not what becomes of the others. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../adapters/redis/redis-server.contract.ts';
import { openRedisStore } from '../adapters/redis/store.ts';
import { keysOf, TEST_LEDGER } from '../adapters/redis/test-names.contract.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { planLoad } from '../domain/gate/plan-load.ts';
import { TAKE_OVER_AFTER_MS } from '../ports/queue.ts';
import { openRedisWorld, type RedisWorld } from './redis-world.contract.ts';

const found = await startRedis();
const BUYERS = ['ann', 'ben', 'cem', 'dora', 'eve'];
const WITHIN = { timeout: 20_000 };

describe.skipIf('missing' in found)('of an entry with the winners of one call', { timeout: 60_000 }, () => {
  const server = (): RedisServer => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  let world: RedisWorld;
  const segment = { saleId: 'sale', region: 'home', segment: 0 };
  const { stream, divided, buyers } = keysOf(segment, null);
  beforeEach(async () => {
    await server().admin.flushall();
    world = await openRedisWorld(server().url);
    await world.sale('sale', 20);
  });
  afterEach(() => world.close());
  afterAll(() => ('missing' in found ? undefined : found.server.stop()));

  const claimsOf = async () => (await world.store.queue.peek(segment)).map(({ claim }) => claim);
  const endsWith = async (orders: number) => {
    await expect
      .poll(async () => {
        await world.settle();
        return world.sold('sale');
      }, WITHIN)
      .toBe(orders);
    expect(await world.missing()).toEqual([]);
    await expect.poll(() => world.balanced('sale'), WITHIN).toBe(true);
    await expect.poll(() => world.settle(), WITHIN).toEqual([]);
    expect(await server().admin.xlen(stream)).toBe(0);
    expect(await server().admin.exists(divided)).toBe(0);
    expect(await world.store.queue.depth()).toEqual({ entries: 0, oldestAgeMs: null });
  };

  test('a reader that dies leaves what it has not settled to others, and what is settled does not come again', async () => {
    const claims = await world.buyTogether('sale', BUYERS);
    expect(await server().admin.xlen(stream)).toBe(1);
    expect((await world.store.queue.read('dead', 3)).map(({ claim }) => claim)).toEqual(claims.slice(0, 3));
    // The others are nobody's, and another process has them at once.
    expect(await world.settle()).toEqual(['settled', 'settled']);
    expect(await server().admin.xlen(stream)).toBe(1);
    expect(await claimsOf()).toEqual(claims.slice(0, 3));
    expect(await world.settle()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, TAKE_OVER_AFTER_MS));
    expect(await world.settle()).toEqual(['settled', 'settled', 'settled']);
    await endsWith(5);
  });

  test('two processes may each remove their half', async () => {
    const claims = await world.buyTogether('sale', BUYERS);
    const other = await openRedisStore({ ledgerId: TEST_LEDGER, url: server().url, clock: systemClock });
    const mine = (await world.store.queue.read('one', 2)).map(({ claim }) => claim);
    const theirs = (await other.queue.read('other', 10)).map(({ claim }) => claim);
    expect([...mine, ...theirs]).toEqual(claims);
    await other.queue.remove(theirs);
    expect(await server().admin.xlen(stream)).toBe(1);
    await world.store.queue.remove(mine);
    expect(await server().admin.xlen(stream)).toBe(0);
    other.close();
    // Nothing was settled: they come back from their marks.
    await endsWith(5);
  });

  test.each(['lost', 'of somebody else'])('what is known is %s: all come again, and each ends once', async (how) => {
    const claims = await world.buyTogether('sale', BUYERS);
    expect(await world.settle(2)).toEqual(['settled', 'settled']);
    expect(await claimsOf()).toEqual(claims.slice(2));
    await server().admin.del(divided);
    if (how !== 'lost') await server().admin.set(divided, 'of somebody else');
    expect(await claimsOf()).toEqual(claims);
    await new Promise((resolve) => setTimeout(resolve, TAKE_OVER_AFTER_MS));
    expect(await world.settle(1)).toEqual(['repeated']);
    expect(await world.settle()).toEqual(['repeated', 'settled', 'settled', 'settled']);
    await endsWith(5);
  });

  test('what is known is rubbish: they are given as if nothing were', async () => {
    const claims = await world.buyTogether('sale', BUYERS);
    for (const text of ['hello', '{}', '[0]', '[0,4]', '[0,900]', '["x",5]', '7']) {
      await server().admin.hset(divided, '1-5', text);
      expect(await claimsOf()).toEqual(claims);
    }
    await endsWith(5);
  });

  test('P14: all come back when it is deleted by hand', async () => {
    await world.buyTogether('sale', BUYERS);
    expect(await world.settle(2)).toHaveLength(2);
    await server().admin.xdel(stream, '1-5');
    await world.buyTogether('sale', ['fay', 'gus']);
    await endsWith(7);
  });

  test.each([
    ['a list that is none', (field: string) => field.replace(/^\["sale.*/, '["sale-ann')],
    ['an id too few', (field: string) => field.replace('["ann",', '[')],
    ['a number among the ids', (field: string) => field.replace('["ann",', '[7,')],
    ['an order without a name', (field: string) => field.replace('"sale-ann"', '""')],
    ['a run that is too long', (field: string) => (field === '5' ? '6' : field)],
    ['a run without an end', (field: string) => (field === '5' ? '99999999999999999999' : field)],
    ['units that are none', (field: string) => field.replace(/^1 main/, '0 main')],
    ['no time', (field: string) => field.replace(/^\d{13}$/, '')],
  ])('L14: all come back from their marks when it was damaged: %s', async (_, damage) => {
    await world.buyTogether('sale', BUYERS);
    const [[id = '', fields = []] = []] = await server().admin.xrange(stream, '-', '+');
    await server().admin.del(stream);
    await server().admin.xadd(stream, id, ...fields.map(damage));
    await endsWith(5);
    expect(await world.store.queue.unread()).toMatchObject([{ id: '1-5' }]);
  });

  test('P4: a cut through its middle parts those that were loaded from those that were not', async () => {
    await world.buyTogether('sale', BUYERS);
    const queued = await claimsOf();
    const opening = { segment, fromEpoch: 1, gateEpoch: 1, cutThrough: { epoch: 1, seq: 3 }, queued };
    const opened = await world.inventoryCentre.openEpoch(opening);
    if (opened.kind !== 'opened') throw new Error(opened.kind);
    await world.store.gate.load(await world.session.call(segment), planLoad(opened.snapshot));
    const view = await world.store.gate.read(segment);
    expect(view?.unsettled).toHaveLength(3);
    expect(view?.availableUnits.get('main')).toBe(17);
    expect(await world.settle()).toEqual(['settled', 'settled', 'settled', 'refused', 'refused']);
    expect(await world.sold('sale')).toBe(3);
    await expect.poll(() => world.balanced('sale'), WITHIN).toBe(true);
    expect(await server().admin.xlen(stream)).toBe(0);
  });

  test('what a gate queued claim by claim, and marked in full, is read as well', async () => {
    await world.buyTogether('sale', BUYERS);
    await server().admin.del(stream);
    for (const [at, buyer] of BUYERS.entries()) {
      await server().admin.xadd(stream, `1-${at + 1}`, 'o', `sale-${buyer}`, 'b', buyer, '1 main', '1700000000000');
      await server().admin.hset(buyers, buyer, `q sale-${buyer} 1 1-${at + 1} main;`);
    }
    expect(await world.buy('sale', 'ann')).toBe('replayed');
    expect(await world.buyTogether('sale', ['ann'])).toEqual([]);
    expect(await world.store.gate.strays(segment, null)).toMatchObject({ strays: [], isWaiting: true });
    expect((await world.store.gate.read(segment))?.unsettled).toHaveLength(5);
    expect(await world.settle(2)).toEqual(['settled', 'settled']);
    const claims = await claimsOf();
    expect(claims).toHaveLength(3);
    await world.store.gate.markSettled(await world.session.call(segment), claims);
    expect(await server().admin.hmget(buyers, 'cem', 'eve')).toEqual([
      's sale-cem 1 1-3 main;',
      's sale-eve 1 1-5 main;',
    ]);
    const other = { orderId: 'another', buyerId: 'cem', channel: 'main', units: 1 };
    const [outcome] = await world.store.gate.claim(await world.session.call(segment), [other]);
    expect(outcome).toEqual({ kind: 'over_limit', liveOrderIds: ['sale-cem'] });
    await endsWith(5);
  });
});
