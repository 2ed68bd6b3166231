/** A claim that counts once a replica has it: what a replica that is away means for winners, and for nobody else. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kindsOf, type OpenSegment, openSegment, request } from '../../ports/store-fixture.contract.ts';
import { systemClock } from '../system/clock.ts';
import { type RedisServer, startRedis } from './redis-server.contract.ts';
import { until } from './redis-topologies.contract.ts';
import { openRedisStore, type RedisStore } from './store.ts';
import { keysOf, TEST_LEDGER } from './test-names.contract.ts';

const found = await startRedis();
const foundReplica = 'missing' in found ? found : await startRedis({ flags: [`--replica-of=${found.server.port}`] });

describe.skipIf('missing' in foundReplica)('a claim that counts once a replica has it', () => {
  const [master, replica] = [found, foundReplica].map((each) => (): RedisServer => {
    if ('missing' in each) throw new Error(each.missing);
    return each.server;
  }) as [() => RedisServer, () => RedisServer];
  let store: RedisStore;
  let segment: OpenSegment;

  const isLinked = async () => /state=online/.test(await master().admin.info('replication'));
  beforeEach(async () => {
    await until(isLinked);
    await master().admin.flushall();
    // It is asked only once it follows.
    await until(async () => /state=online/.test(await master().admin.info('replication')));
    expect(await master().admin.call('WAIT', 1, 10_000)).toBe(1);
    store = await openRedisStore({ ledgerId: TEST_LEDGER, url: master().url, clock: systemClock, asksReplica: true });
    segment = await openSegment(
      {
        ...{ gate: store.gate, queue: store.queue, nowMs: async () => store.serverClock.nowMs() + 30_000 },
        ...{ pass: async () => {}, lose: async () => {}, close: async () => {} },
      },
      { units: 3 },
    );
  });
  afterEach(() => store.close());
  afterAll(() => Promise.all([master().stop(), replica().stop()]));

  test('is told when the replica has it', async () => {
    for (let unit = 0; unit < 3; unit++) {
      const wanted = request();
      expect(await segment.claimOne(wanted)).toMatchObject({ kind: 'claimed' });
      expect(await replica().admin.hget(keysOf(segment.key, null).buyers, wanted.buyerId)).toContain(wanted.orderId);
    }
    expect(store.warnings).toEqual([expect.stringContaining('keeps nothing on disk')]);
  });

  test('is unknown while the replica stands still; who loses is told so, and a repeat tells once it goes on', async () => {
    const [winner, loser] = [request({ units: 2 }), request({ units: 2 })];
    process.kill(replica().pid(), 'SIGSTOP');
    try {
      expect(kindsOf(await segment.claim([winner, loser]))).toEqual(['unknown', 'not_enough_left']);
      expect(kindsOf(await segment.claim([winner, loser]))).toEqual(['unknown', 'not_enough_left']);
      // Nothing was won, so nothing is waited for.
      const before = performance.now();
      for (let tries = 0; tries < 20; tries++) await segment.claim([loser]);
      expect(performance.now() - before).toBeLessThan(1_000);
      expect(await segment.queued()).toHaveLength(1);
    } finally {
      process.kill(replica().pid(), 'SIGCONT');
    }
    await expect.poll(async () => (await segment.claimOne(winner)).kind).toBe('replayed');
    expect(await segment.available()).toBe(1);
  });

  test('is told again as it is once the ledger has it, wherever the replica is', async () => {
    const wanted = request();
    const claim = await segment.win(wanted);
    await store.gate.markSettled(await segment.call(), [claim]);
    process.kill(replica().pid(), 'SIGSTOP');
    try {
      expect(await segment.claimOne(wanted)).toMatchObject({ kind: 'replayed', mark: { state: 'settled' } });
    } finally {
      process.kill(replica().pid(), 'SIGCONT');
    }
  });

  test('warns where there is no replica', async () => {
    await replica().admin.call('REPLICAOF', 'NO', 'ONE');
    await until(async () => !(await isLinked()));
    const alone = await openRedisStore({
      ledgerId: TEST_LEDGER,
      url: master().url,
      clock: systemClock,
      asksReplica: true,
    });
    expect(alone.warnings).toContainEqual(expect.stringContaining('once a replica of Redis has it, and there is none'));
    alone.close();
    await replica().admin.call('REPLICAOF', '127.0.0.1', master().port);
  });
});
