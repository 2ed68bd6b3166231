/** How many claims a queue in Redis holds, which is not how many entries. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimsOf, type OpenSegment, openSegment, requests } from '../../ports/store-fixture.contract.ts';
import { systemClock } from '../system/clock.ts';
import { type RedisServer, startRedis } from './redis-server.contract.ts';
import { openRedisStore, type RedisStore } from './store.ts';
import { keysOf, TEST_LEDGER } from './test-names.contract.ts';

const found = await startRedis();

describe.skipIf('missing' in found)('the depth of a queue in Redis', () => {
  const server = (): RedisServer => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  let store: RedisStore;
  let segment: OpenSegment;
  beforeEach(async () => {
    await server().admin.flushall();
    store = await openRedisStore({ ledgerId: TEST_LEDGER, url: server().url, clock: systemClock });
    const nowMs = async () => store.serverClock.nowMs() + 30_000;
    const asTested = { gate: store.gate, queue: store.queue, nowMs, pass: async () => {}, lose: async () => {} };
    segment = await openSegment({ ...asTested, close: async () => {} }, { units: 10_000 });
  });
  afterEach(() => store.close());
  afterAll(() => server().stop());

  const claim = async (calls: number, size: number) => {
    const made = [];
    for (let call = 0; call < calls; call++) made.push(...claimsOf(await segment.claim(requests(size))));
    return made;
  };
  const depth = async () => (await store.queue.depth()).entries;

  test('counts claims, whatever is removed of them, and through a load', async () => {
    const made = await claim(30, 10);
    expect(await server().admin.xlen(keysOf(segment.key, null).stream)).toBe(30);
    expect(await depth()).toBe(300);
    const gone = made.filter((_, at) => at % 3 === 0);
    for (const _ of [1, 2]) await store.queue.remove(gone);
    expect(await depth()).toBe(200);
    expect(await store.gate.requeue(await segment.call(), gone.slice(0, 7))).toBe('requeued');
    expect(await depth()).toBe(207);
    await segment.load({ epoch: 2, units: 100 });
    expect(await depth()).toBe(207);
    await claim(1, 3);
    expect(await depth()).toBe(210);
    const left = (await store.queue.peek(segment.key)).map((entry) => entry.claim);
    await store.queue.remove(left.slice(4));
    expect(await depth()).toBe(4);
  });

  test('is never less than the entries or more than they can hold, and right again once few are left', async () => {
    const made = await claim(30, 10);
    const { meta, stream } = keysOf(segment.key, null);
    for (const [figure, told] of [
      ['0', 30],
      ['rubbish', 30],
      ['999999999', 30 * 256],
    ] as const) {
      await server().admin.hset(meta, 'queued', figure);
      expect(await depth()).toBe(told);
      expect((await segment.claim(requests(1)))[0]).toMatchObject({ kind: 'claimed' });
      const [last] = (await store.queue.peek(segment.key)).slice(-1);
      await store.queue.remove(last ? [last.claim] : []);
    }
    await server().admin.hdel(meta, 'queued');
    expect(await depth()).toBe(30);
    await store.queue.remove(made.slice(0, 145));
    expect(await depth()).toBe(155);
    const ids = (await server().admin.xrange(stream, '-', '+')).map(([id]) => id);
    await server().admin.xdel(stream, ids[3] ?? '', ids[4] ?? '');
    expect(await depth()).toBe(135);
    await claim(1, 20);
    expect(await depth()).toBe(155);
  });
});
