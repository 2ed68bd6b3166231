/** Several processes on one Redis, and how each of them finds it when it starts. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Order } from '../../domain/order/order.ts';
import { openSegment, request } from '../../ports/store-fixture.contract.ts';
import { systemClock } from '../system/clock.ts';
import { startRedis } from './redis-server.contract.ts';
import { openRedisStore } from './store.ts';
import { TEST_LEDGER, TEST_NAMES } from './test-names.contract.ts';

const found = await startRedis();

describe.skipIf('missing' in found)('processes on one Redis', () => {
  const server = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  const opened: { close(): void }[] = [];
  const open = async (url = server().url) => {
    const store = await openRedisStore({ ledgerId: TEST_LEDGER, url, clock: systemClock });
    opened.push(store);
    return store;
  };
  afterEach(async () => {
    for (const store of opened.splice(0)) store.close();
    await server().admin.config('SET', 'maxmemory-policy', 'noeviction');
  });
  afterAll(() => server().stop());

  test('hear of what another has queued', async () => {
    const [serve, worker] = [await open(), await open()];
    let woken = 0;
    const end = worker.queue.onArrival(() => {
      woken += 1;
    });
    const segment = await openSegment({
      ...{ gate: serve.gate, queue: serve.queue, nowMs: async () => serve.serverClock.nowMs() + 30_000 },
      ...{ pass: async () => {}, lose: async () => {}, close: async () => {} },
    });
    await expect
      .poll(() => server().admin.pubsub('NUMSUB', TEST_NAMES.arrivalsChannel))
      .toEqual([TEST_NAMES.arrivalsChannel, 2]);
    const before = woken;
    const claim = await segment.win(request());
    await expect.poll(() => woken).toBeGreaterThan(before);
    expect((await worker.queue.read('w', 10)).map((entry) => entry.claim)).toEqual([claim]);
    end();
  });

  test('look no more into a segment that is closed and empty once one of them has retired it', async () => {
    await server().admin.flushall();
    const [serve, worker] = [await open(), await open()];
    const segment = await openSegment({
      ...{ gate: serve.gate, queue: serve.queue, nowMs: async () => serve.serverClock.nowMs() + 30_000 },
      ...{ pass: async () => {}, lose: async () => {}, close: async () => {} },
    });
    const listed = () => server().admin.smembers(TEST_NAMES.segments);
    const { key, terms } = segment;
    const closed = await segment.view();
    const closing = { ...terms, version: closed.terms.version + 1, state: 'closed' as const };
    const claim = await segment.win(request());
    expect(await serve.gate.setTerms(await segment.call(), closing, closed.epoch)).toBe('set');
    expect(await worker.queue.depth()).toMatchObject({ entries: 1 });
    await worker.queue.retire([key]);
    expect(await listed()).toHaveLength(1);

    await worker.queue.remove([claim]);
    await worker.queue.retire([key]);
    for (const store of [serve, worker]) expect(await store.queue.depth()).toEqual({ entries: 0, oldestAgeMs: null });
    expect(await listed()).toEqual([]);
    expect(await serve.gate.read(key)).toMatchObject({ terms: { state: 'closed' } });

    // One that was lost from the list is there again.
    await openSegment({
      ...{ gate: serve.gate, queue: serve.queue, nowMs: async () => serve.serverClock.nowMs() + 30_000 },
      ...{ pass: async () => {}, lose: async () => {}, close: async () => {} },
    });
    await server().admin.del(TEST_NAMES.segments);
    await serve.queue.depth();
    expect(await listed()).toHaveLength(1);
  });

  test('hear of the orders that another has changed, once each', async () => {
    const [serve, worker] = [await open(), await open()];
    const order = { orderId: 'o', saleId: 's', state: 'pending' } as Order;
    const heard: string[] = [];
    serve.feed.subscribe((orders) => heard.push(...orders.map((each) => `serve ${each.orderId}`)));
    worker.feed.subscribe((orders) => heard.push(...orders.map((each) => `worker ${each.orderId}`)));
    await expect
      .poll(() => server().admin.pubsub('NUMSUB', TEST_NAMES.ordersChannel))
      .toEqual([TEST_NAMES.ordersChannel, 2]);
    worker.feed.publish(Array.from({ length: 201 }, () => order));
    await expect.poll(() => heard.filter((each) => each === 'serve o').length).toBe(201);
    expect(heard.filter((each) => each === 'worker o')).toHaveLength(201);
  });

  test('bring units to a quota that another finds dry; who hears an answer is who asked', async () => {
    const [serve, other, worker] = [await open(), await open(), await open()];
    const quota = { saleId: 'sale', region: 'home', segment: 3, channel: 'main' };
    const want = { units: 5, leastUnits: 1 };
    const asked: unknown[] = [];
    const end = worker.lendingLine.listen(async (question, isRepeated) => {
      asked.push([question, isRepeated]);
      return { kind: question.kind === 'borrow' ? 'came' : 'sold_out', leftUnits: 0 };
    });
    await expect
      .poll(() => server().admin.pubsub('NUMSUB', TEST_NAMES.questionsChannel))
      .toEqual([TEST_NAMES.questionsChannel, 1]);
    const answers = [
      serve.lendingLine.ask({ kind: 'borrow', quota, want }),
      other.lendingLine.ask({ kind: 'judge', saleId: 'sale' }),
    ];
    expect(await Promise.all(answers)).toMatchObject([{ kind: 'came' }, { kind: 'sold_out' }]);
    expect(asked).toContainEqual([{ kind: 'borrow', quota, want }, false]);
    end();
  });

  test('ask again what was not answered, and are told nothing when nobody answers', async () => {
    const [serve, worker] = [await open(), await open()];
    const heard: boolean[] = [];
    const end = worker.lendingLine.listen(async (question, isRepeated) => {
      heard.push(isRepeated);
      return question.kind === 'judge' && isRepeated ? { kind: 'none_left_now', leftUnits: 0 } : null;
    });
    await expect
      .poll(() => server().admin.pubsub('NUMSUB', TEST_NAMES.questionsChannel))
      .toEqual([TEST_NAMES.questionsChannel, 1]);
    expect(await serve.lendingLine.ask({ kind: 'judge', saleId: 'sale' })).toMatchObject({ kind: 'none_left_now' });
    expect(heard).toEqual([false, true]);
    end();
    expect(await serve.lendingLine.ask({ kind: 'judge', saleId: 'sale' })).toBeNull();
  });

  test('do not start on one that may throw keys away, and say what to do', async () => {
    await server().admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(open()).rejects.toMatchObject({
      code: 'gate_unusable',
      message: expect.stringContaining('maxmemory-policy is allkeys-lru. Set it to noeviction'),
    });
  });

  test('are warned of one that keeps nothing', async () => {
    expect((await open()).warnings).toEqual([expect.stringContaining('keeps nothing on disk')]);
    await server().admin.config('SET', 'save', '3600 1');
    expect((await open()).warnings).toEqual([]);
  });

  test('are told where there is none, and not its password', async () => {
    await expect(open('redis://:secret@127.0.0.1:1')).rejects.toMatchObject({
      code: 'gate_unavailable',
      message: expect.stringMatching(/^Redis at 127\.0\.0\.1:1 cannot be reached: (?!.*secret)/),
    });
  });

  test('follow its clock', async () => {
    const { serverClock } = await open();
    const [seconds = 0] = await server()
      .admin.time()
      .then((time) => time.map(Number));
    expect(Math.abs(serverClock.nowMs() - seconds * 1_000)).toBeLessThan(1_500);
  });
});
