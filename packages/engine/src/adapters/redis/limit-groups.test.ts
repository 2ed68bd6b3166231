/** Where a Redis keeps the sales of a limit group, and what becomes of one when the keys of another are not what they should be. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPair } from '../../ports/gate-groups.contract.ts';
import { kindsOf, type OpenSegment, request, requests, segmentOn } from '../../ports/store-fixture.contract.ts';
import { systemClock } from '../system/clock.ts';
import { startRedis } from './redis-server.contract.ts';
import { openRedisStore, type RedisStore } from './store.ts';
import { keysOf, TEST_LEDGER } from './test-names.contract.ts';

const AHEAD_MS = 30_000;
const found = await startRedis();

describe.skipIf('missing' in found)('a limit group in Redis', () => {
  const server = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  afterAll(() => server().stop());

  const opened: RedisStore[] = [];
  const open = async () => {
    const store = await openRedisStore({ ledgerId: TEST_LEDGER, url: server().url, clock: systemClock });
    opened.push(store);
    const nowMs = async () => systemClock.nowMs() + AHEAD_MS;
    return { ...store, nowMs, pass: async () => {}, lose: async () => {}, close: async () => {} };
  };
  let store: Awaited<ReturnType<typeof open>>;
  let first: OpenSegment;
  let second: OpenSegment;
  beforeEach(async () => {
    await server().admin.flushall();
    store = await open();
    [first, second] = await openPair(store, { terms: { startsAtMs: 0 } });
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
  });

  const keysIn = ({ key, terms }: OpenSegment) => keysOf(key, terms.limitGroup ?? null);
  /** The same segment, as another process calls it. */
  const asCalledBy = (other: typeof store, { key, terms }: OpenSegment) => segmentOn(other, key, terms);

  test('has all its keys under one hash tag, so that one script may read them in a cluster', async () => {
    await first.win(request());
    const keys = (await server().admin.keys('*{*')).concat(Object.values(keysIn(second)));
    expect(keys.length).toBeGreaterThan(6);
    expect(new Set(keys.map((key) => /\{(.*)\}/.exec(key)?.[1])).size).toBe(1);
    const names = [first, second].flatMap((segment) => [keysIn(segment).buyers, keysIn(segment).stream]);
    expect(new Set(names).size).toBe(4);
  });

  test('is found by a process that has not loaded it, also by one that asked too early', async () => {
    const early = await open();
    const { key, terms } = first;
    const third = segmentOn(early, { ...key, saleId: `${key.saleId}-3` }, terms);
    expect(await third.claimOne(request())).toEqual({ kind: 'not_ready' });
    await segmentOn(store, third.key, terms).load({});
    await third.win(request({ buyerId: 'ann', units: 2 }));
    const late = await open();
    expect(await asCalledBy(late, second).claimOne(request({ buyerId: 'ann' }))).toMatchObject({ kind: 'over_limit' });
    expect(await late.marks.ofBuyer(third.key, 'ann')).toHaveLength(1);
    expect((await late.queue.read('late', 10)).map(({ claim }) => claim.saleId)).toEqual([third.key.saleId]);
    expect((await asCalledBy(late, third).view()).terms).toEqual(terms);
  });

  test.each([
    ['buyers of another sale', () => keysIn(first).buyers],
    ['list of sales', () => keysIn(first).sales],
  ])('sells on when the %s is lost or something else', async (_, name) => {
    await first.win(request({ buyerId: 'ann', units: 2 }));
    await server().admin.del(name());
    expect(kindsOf(await second.claim([request({ buyerId: 'ann', units: 1 }), ...requests(2)]))).toEqual(
      Array(3).fill('claimed'),
    );
    await server().admin.set(name(), 'of somebody else');
    expect(await second.claimOne(request())).toMatchObject({ kind: 'claimed' });
    await first.load({ epoch: 2 });
    await first.win(request({ buyerId: 'bob', units: 2 }));
    await second.load({ epoch: 2 });
    expect(await second.claimOne(request({ buyerId: 'bob' }))).toMatchObject({ kind: 'over_limit' });
  });
});
