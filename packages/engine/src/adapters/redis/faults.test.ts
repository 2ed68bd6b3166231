/** What a Redis that fails, forgets, fills up or is not ours may do to a sale: nothing that is sold twice or lost unseen. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../../domain/fault.ts';
import type { ClaimOutcome, ClaimRequest } from '../../ports/gate.ts';
import {
  claimsOf,
  kindsOf,
  newSegment,
  type OpenSegment,
  openSegment,
  request,
  requests,
  type StoreUnderTest,
  segmentOn,
  termsOfTest,
} from '../../ports/store-fixture.contract.ts';
import { systemClock } from '../system/clock.ts';
import { readRedisAddress } from './address.ts';
import { type AnswerLosingProxy, openAnswerLosingProxy } from './answer-losing-proxy.contract.ts';
import { LOAD, QUEUE_READ, READ } from './commands.ts';
import { openConnection } from './connection.ts';
import { debitUnits } from './debit-units.ts';
import { createLayout } from './layout.ts';
import { oneMaster } from './masters.ts';
import { type RedisServer, startRedis } from './redis-server.contract.ts';
import { createSegments } from './segments.ts';
import { openRedisStore, type RedisStore } from './store.ts';
import { keysOf, stagedKeysOf, TEST_LEDGER, TEST_NAMES } from './test-names.contract.ts';

const found = await startRedis({ isDurable: true });

/** So far ahead do the tests' calls read the clock: a busy machine must not make them late. */
const AHEAD_MS = 30_000;

const TIMES = { commandMs: 3_000, connectMs: 3_000 };

describe.skipIf('missing' in found)('a Redis that', () => {
  const server = (): RedisServer => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  const opened: { close(): unknown }[] = [];
  let store: RedisStore;

  async function open(url = server().url, times = TIMES): Promise<RedisStore> {
    const another = await openRedisStore({ ledgerId: TEST_LEDGER, url, clock: systemClock, times });
    opened.push(another);
    return another;
  }
  const asTested = (redis: RedisStore): StoreUnderTest => ({
    ...{ gate: redis.gate, queue: redis.queue, nowMs: async () => redis.serverClock.nowMs() + AHEAD_MS },
    ...{ pass: async () => {}, lose: async () => {}, close: async () => {} },
  });
  const openIn = (redis: RedisStore, units: number): Promise<OpenSegment> =>
    openSegment(asTested(redis), { units, terms: { limitUnits: 2 } });
  const digest = (): Promise<unknown> => server().admin.call('DEBUG', 'DIGEST');

  beforeEach(async () => {
    await server().admin.flushall();
    store = await open();
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  afterAll(() => server().stop());

  /** Asks until there is an answer, as a buyer does. */
  async function claimPatiently(segment: OpenSegment, wanted: ClaimRequest): Promise<ClaimOutcome> {
    for (let tries = 0; tries < 500; tries++) {
      try {
        return await segment.claimOne(wanted);
      } catch (error) {
        if (!(error instanceof Fault && error.retryable)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    throw new Error('no answer came');
  }

  test('forgets its scripts in the middle of a rush carries out each call once, and nobody sees it', async () => {
    const segment = await openIn(store, 1_000);
    let isOver = false;
    const flushing = (async () => {
      while (!isOver) await server().admin.script('FLUSH');
    })();
    const outcomes = await Promise.all(requests(300).map((wanted) => segment.claimOne(wanted)));
    isOver = true;
    await flushing;
    expect(claimsOf(outcomes)).toHaveLength(300);
    expect(await segment.available()).toBe(700);
    expect(await segment.queued()).toHaveLength(300);
  });

  describe('loses every tenth answer', () => {
    let proxy: AnswerLosingProxy;
    beforeEach(async () => {
      proxy = await openAnswerLosingProxy(server().port);
      opened.push(proxy);
    });

    test('gives each order its units once', async () => {
      const behind = await open(proxy.url);
      const segment = await openIn(behind, 1_000);
      proxy.loseOneOf(10);
      const wanted = requests(200);
      const outcomes: ClaimOutcome[] = [];
      for (let at = 0; at < wanted.length; at += 4) {
        outcomes.push(...(await Promise.all(wanted.slice(at, at + 4).map((each) => claimPatiently(segment, each)))));
      }
      proxy.loseOneOf(0);
      expect(proxy.lost()).toBeGreaterThan(5);
      expect(new Set(kindsOf(outcomes))).toEqual(new Set(['claimed', 'replayed']));
      const direct = segmentOn(asTested(store), segment.key, segment.terms);
      expect(await direct.available()).toBe(800);
      expect(await direct.queued()).toHaveLength(200);
      expect((await direct.view()).position.seq).toBe(200);
    });

    test('is told as unknown, and nothing is sent again behind its back', async () => {
      const behind = await open(proxy.url);
      const segment = await openIn(behind, 10);
      proxy.loseOneOf(1);
      const wanted = request();
      const before = proxy.calls();
      await expect(segment.claimOne(wanted)).rejects.toMatchObject({ code: 'outcome_unknown' });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(proxy.calls() - before).toBe(1);
      expect(await segmentOn(asTested(store), segment.key, segment.terms).claimOne(wanted)).toMatchObject({
        kind: 'replayed',
      });
    });
  });

  test('is away is told as not carried out, and found again by itself', async () => {
    const segment = await openIn(store, 10);
    const before = await store.gate.identity(segment.key);
    await server().crash();
    await expect
      .poll(() => store.gate.identity(segment.key).catch((error: Fault) => error.code))
      .toBe('gate_unavailable');
    await expect(store.gate.read(segment.key)).rejects.toMatchObject({ code: 'gate_unavailable' });
    await server().restart();
    await expect.poll(() => store.gate.identity(segment.key).catch(() => before)).not.toBe(before);
    expect(await store.gate.read(segment.key)).not.toBeNull();
  });

  test('P1: comes back with its data sells nothing until it is rebuilt, whoever is asked for', async () => {
    const segment = await openIn(store, 10);
    const winner = request();
    const claim = await segment.win(winner);
    const call = await segment.call();
    await server().crash();
    await server().restart();
    await expect.poll(() => store.gate.identity(segment.key).catch(() => call.identity)).not.toBe(call.identity);
    const later = { deadlineMs: store.serverClock.nowMs() + 60_000 };
    for (const each of [{ ...call, ...later }, await segment.call(later)]) {
      // A win is answered for ever; nothing new is taken.
      expect(kindsOf(await store.gate.claim(each, [winner, request()]))).toEqual(['replayed', 'not_ready']);
      expect(await store.gate.credit(each, { moveId: 'm', epoch: 1, channel: 'web', units: 1 })).toBe('not_ready');
      expect(await store.gate.release(each, claim, 1, 'quota')).toBe('not_ready');
      expect(await store.gate.markSettled(each, [claim])).toBe('not_ready');
    }
    expect(await store.gate.load({ ...call, ...later }, loadOf(segment, 2))).toBe('not_ready');
    expect(await segment.available()).toBe(9);
    expect(await segment.load({ epoch: 2, units: 9 })).toBe('loaded');
    expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
    expect(await segment.queued()).toHaveLength(2);
  });

  test('was emptied by hand sells nothing, and can be loaded', async () => {
    const segment = await openIn(store, 10);
    await segment.win(request());
    await server().admin.flushall();
    expect(await segment.claimOne(request())).toEqual({ kind: 'not_ready' });
    expect(await store.gate.read(segment.key)).toBeNull();
    expect(await segment.load({ epoch: 2, units: 9 })).toBe('loaded');
    expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
    expect(await store.queue.read('a', 10)).toHaveLength(1);
  });

  test.each(['meta', 'buyers', 'stream'] as const)('lost %s sells nothing, and can be loaded', async (part) => {
    const segment = await openIn(store, 10);
    await segment.win(request());
    await server().admin.del(keysOf(segment.key, null)[part]);
    const before = await digest();
    expect(await segment.claimOne(request())).toEqual({ kind: 'not_ready' });
    expect(await digest()).toBe(before);
    expect(await store.gate.read(segment.key)).toBeNull();
    expect(await segment.load({ epoch: 2, units: 9 })).toBe('loaded');
    expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
  });

  test.each(['meta', 'buyers', 'stream', 'loose', 'released', 'moves'] as const)(
    'K26: holds something else in the place of %s changes nothing, and can be loaded',
    async (part) => {
      const segment = await openIn(store, 10);
      const claim = await segment.win(request());
      await server().admin.set(keysOf(segment.key, null)[part], 'of somebody else');
      const before = await digest();
      const [outcome] = await segment.claim([request()]);
      if (part === 'meta' || part === 'buyers' || part === 'stream') expect(outcome).toEqual({ kind: 'not_ready' });
      else await segment.release(claim);
      const damaged = { credit: ['meta', 'buyers', 'moves'], release: ['meta', 'buyers', 'loose', 'released'] };
      if (damaged.credit.includes(part)) expect(await segment.credit('m', 1)).toBe('not_ready');
      if (damaged.release.includes(part)) expect(await segment.release(claim)).toBe('not_ready');
      if (part === 'meta' || part === 'buyers') expect(await digest()).toBe(before);
      expect(await store.gate.read(segment.key)).toBeNull();
      expect(await segment.load({ epoch: 2, units: 9 })).toBe('loaded');
      expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
    },
  );

  test('K26: holds something else in the place of what it only puts aside sells on, and queues again', async () => {
    const segment = await openIn(store, 10);
    const claim = await segment.win(request());
    const { stream, again, buried } = keysOf(segment.key, null);
    for (const key of [again, buried]) await server().admin.set(key, 'of somebody else');
    await server().admin.xdel(stream, '1-1');
    expect(await store.gate.requeue(await segment.call(), [claim])).toBe('requeued');
    await server().admin.xadd(stream, '1-500', 'hello', 'world');
    expect((await store.queue.read('a', 10)).map((each) => each.claim)).toEqual([claim]);
    expect(await store.queue.unread()).toMatchObject([{ id: '1-500', text: 'hello world' }]);
    await store.queue.remove([claim]);
    expect(await server().admin.xlen(stream)).toBe(0);
  });

  test('holds a figure that is none sells nothing', async () => {
    const segment = await openIn(store, 10);
    for (const [field, value] of [
      ['available:web', 'many'],
      ['seq', ''],
      ['limit', 'x'],
    ] as const) {
      const { meta } = keysOf(segment.key, null);
      const known = (await server().admin.hget(meta, field)) ?? '';
      await server().admin.hset(meta, field, value);
      expect(await segment.claimOne(request())).toEqual({ kind: 'not_ready' });
      await server().admin.hset(meta, field, known);
    }
    expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
  });

  test('has a stream that is ahead of its segment sells nothing, and must be loaded', async () => {
    const segment = await openIn(store, 10);
    await server().admin.xadd(keysOf(segment.key, null).stream, '1-500', 'o', 'of', 'b', 'nobody', '1 web', '0');
    expect(await segment.claimOne(request())).toEqual({ kind: 'not_ready' });
    expect(await store.gate.read(segment.key)).toBeNull();
    expect(await segment.load({ epoch: 2, units: 9 })).toBe('loaded');
    expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
  });

  test('is full takes whole calls or none', async () => {
    const segment = await openIn(store, 1_000_000);
    const used = Number(/used_memory:(\d+)/.exec(await server().admin.info('memory'))?.[1]);
    await server().admin.config('SET', 'maxmemory', used + 2_000_000);
    let refusal: unknown = null;
    for (let calls = 0; calls < 200 && refusal === null; calls++) {
      await segment.claim(requests(256)).catch((error: unknown) => {
        refusal = error;
      });
    }
    await server().admin.config('SET', 'maxmemory', 0);
    expect(refusal).toMatchObject({ code: 'gate_unavailable' });
    const { position } = await segment.view();
    const { buyers, stream } = keysOf(segment.key, null);
    expect(position.seq % 256).toBe(0);
    expect(position.seq).toBeGreaterThan(0);
    expect(await server().admin.xlen(stream)).toBe(position.seq / 256);
    expect(await segment.queued()).toHaveLength(position.seq);
    expect(await server().admin.hlen(buyers)).toBe(position.seq + 1);
    expect(await segment.available()).toBe(1_000_000 - position.seq);
  });

  test('R4: was frozen and carries out later what was given up moves nothing after the deadline', async () => {
    const hasty = await open(server().url, { commandMs: 150, connectMs: 1_000 });
    const segment = await openIn(hasty, 10);
    const call = await segment.call({ deadlineMs: hasty.serverClock.nowMs() + 100 });
    await server().admin.call('CLIENT', 'PAUSE', 400, 'ALL');
    await expect(hasty.gate.claim(call, [request()])).rejects.toMatchObject({ code: 'outcome_unknown' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const direct = segmentOn(asTested(store), segment.key, segment.terms);
    expect(await direct.available()).toBe(10);
    expect(await direct.queued()).toEqual([]);
  });

  test('lost its group of readers gives every entry again', async () => {
    const segment = await openIn(store, 10);
    await segment.win(request());
    expect(await store.queue.read('a', 10)).toHaveLength(1);
    await server().admin.xgroup('DESTROY', keysOf(segment.key, null).stream, 'workers');
    expect(await store.queue.read('a', 10)).toHaveLength(1);
  });

  test('forgets readers that are gone for long, but none that has something in hand', async () => {
    const segment = await openIn(store, 10);
    await segment.win(request());
    const { stream } = keysOf(segment.key, null);
    expect(await store.queue.read('busy', 1)).toHaveLength(1);
    for (let at = 0; at < 40; at++) await server().admin.xgroup('CREATECONSUMER', stream, 'workers', `gone-${at}`);
    const readers = async () => (await server().admin.xinfo('CONSUMERS', stream, 'workers')) as string[][];
    expect(await store.queue.read('late', 1)).toEqual([]);
    expect(await readers()).toHaveLength(41);
    const connection = await openConnection({ address: readRedisAddress(server().url), times: TIMES });
    opened.push(connection);
    const names = { consumer: 'last', take_over_ms: 60_000, max: 1, forget_ms: 0 };
    await connection.run(QUEUE_READ, { keys: keysOf(segment.key, null), arguments: names });
    expect((await readers()).map(([, name]) => name)).toEqual(['busy']);
  });

  test('P15: is told to remove a claim whose place another has keeps that one', async () => {
    const segment = await openIn(store, 10);
    const claim = await segment.win(request());
    await store.queue.remove([
      { ...claim, orderId: 'another' },
      { ...claim, origin: { ...claim.origin, channel: 'app' } },
    ]);
    expect(await segment.queued()).toHaveLength(1);
    await store.queue.remove([claim]);
    expect(await segment.queued()).toEqual([]);
  });

  test('P14: has a claim queued again under a later id gives it with the origin that it had', async () => {
    const segment = await openIn(store, 10);
    const claim = await segment.win(request());
    const { stream } = keysOf(segment.key, null);
    const [entry] = await server().admin.xrange(stream, '-', '+');
    await server().admin.xdel(stream, '1-1');
    await server().admin.xadd(stream, '1-900', ...(entry?.[1] ?? []), 'p', '1-1');
    expect((await store.queue.peek(segment.key)).map((each) => each.claim)).toEqual([claim]);
    expect((await store.queue.read('a', 10)).map((each) => each.claim)).toEqual([claim]);
  });

  test('is loaded is what it was until all of it is there', async () => {
    const segment = await openIn(store, 10);
    const view = await segment.view();
    const connection = await openConnection({ address: readRedisAddress(server().url), times: TIMES });
    opened.push(connection);
    const staged = stagedKeysOf(segment.key, null, 'half');
    await server().admin.hset(staged.staged_buyers, 'one', 's x 1 1-1 web;');
    const { identity, deadlineMs } = await segment.call();
    const half = { buyer_count: 2, loose_count: 0, released_count: 0 };
    const answer = await connection.run(LOAD, {
      keys: { ...keysOf(segment.key, null), ...staged },
      arguments: {
        ...{ server: identity, identity, deadline_ms: deadlineMs, epoch: 2, version: 1, state: 'live' },
        ...{ starts_ms: 0, ends_ms: 1, limit: 1, ...half, sale: 'sale', group: '' },
      },
      more: ['web', 10],
    });
    expect(answer).toBe('half_staged');
    expect(await segment.view()).toEqual(view);
    expect(
      await connection.run(READ, { keys: keysOf(newSegment(), null), arguments: { from: '-', through: '+', max: 9 } }),
    ).toBe('absent');
  });

  test('is loaded with many buyers keeps nothing of the staging, and forgets none', async () => {
    const segment = segmentOn(asTested(store), newSegment(), await termsOfTest(asTested(store)));
    const marks = requests(2_300).map((wanted, at) => ({
      ...{ buyerId: wanted.buyerId, orderId: wanted.orderId, units: 1 },
      origin: { region: 'main', segment: 0, channel: 'web', epoch: 1, seq: at + 1 },
      state: (['claimed', 'settled', 'ended'] as const)[at % 3] ?? 'claimed',
    }));
    expect(await segment.load({ epoch: 2, units: 5, marks })).toBe('loaded');
    const view = await segment.view();
    expect(view.unsettled).toHaveLength(767);
    expect(view.releasedClaimIds.size).toBe(766);
    const keys = await server().admin.keys('*');
    expect(keys.filter((key) => key.includes('staged'))).toEqual([]);
    for (const key of keys) expect(await server().admin.pttl(key)).toBe(-1);
  });

  test('is debited gives what it has, once per move', async () => {
    const segment = await openIn(store, 5);
    const connection = await openConnection({ address: readRedisAddress(server().url), times: TIMES });
    opened.push(connection);
    const masters = oneMaster(connection);
    const layout = createLayout(masters, createSegments(masters, TEST_NAMES), TEST_NAMES);
    const debit = async (moveId: string, units: number | null, epoch = 1) =>
      debitUnits(layout, await segment.call(), { moveId, units, epoch, channel: 'web' });
    const { generation } = await segment.view();
    expect(await debit('m1', 2)).toEqual({ kind: 'debited', units: 2 });
    expect(await debit('m1', 4)).toEqual({ kind: 'repeated', units: 2 });
    expect(await debit('m2', null, 2)).toBe('not_ready');
    expect(await debit('m2', null)).toEqual({ kind: 'debited', units: 3 });
    expect(await debit('m3', 1)).toEqual({ kind: 'debited', units: 0 });
    expect(await segment.claimOne(request())).toEqual({ kind: 'dry' });
    // Units that come in under the same id later are another move's.
    expect(await segment.credit('m3', 1)).toBe('credited');
    expect(await debit('m3', 1)).toEqual({ kind: 'repeated', units: 0 });
    expect(await segment.available()).toBe(1);
    expect(await segment.view()).toMatchObject({ generation: generation + 1, appliedMoveIds: new Set(['m3']) });
  });

  test('shows every unsettled claim, however many there are', async () => {
    const segment = await openIn(store, 10_000);
    for (let call = 0; call < 6; call++) await segment.claim(requests(250));
    const { unsettled, position } = await segment.view();
    expect(unsettled).toHaveLength(1_500);
    expect(position.seq).toBe(1_500);
    await store.queue.remove(unsettled.slice(0, 700));
    expect((await segment.view()).unsettled).toHaveLength(1_500);
    expect(await store.gate.markSettled(await segment.call(), unsettled.slice(0, 900))).toBe('marked');
    expect((await segment.view()).unsettled).toHaveLength(600);
  });
});

function loadOf(segment: OpenSegment, epoch: number) {
  return { segment: segment.key, epoch, terms: segment.terms, availableUnits: new Map([['web', 9]]), marks: [] };
}
