/** A queue that nobody reads for long keeps every entry, however many: nothing trims it but what has been settled. */
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_CLAIMS_PER_CALL } from '../../ports/gate.ts';
import { openSegment, request } from '../../ports/store-fixture.contract.ts';
import { systemClock } from '../system/clock.ts';
import { startRedis } from './redis-server.contract.ts';
import { openRedisStore } from './store.ts';
import { TEST_LEDGER } from './test-names.contract.ts';

const found = await startRedis();
const CLAIMS = 40_000;
const GROUP = 2_000;

describe.skipIf('missing' in found)('a queue in Redis', () => {
  afterAll(() => ('missing' in found ? undefined : found.server.stop()));

  test('that no worker reads loses none of forty thousand entries (K28)', { timeout: 240_000 }, async () => {
    if ('missing' in found) throw new Error(found.missing);
    const store = await openRedisStore({ ledgerId: TEST_LEDGER, url: found.server.url, clock: systemClock });
    const nowMs = async () => systemClock.nowMs() + 30_000;
    const fixture = { ...store, nowMs, pass: async () => {}, lose: async () => {}, close: async () => {} };
    const segment = await openSegment(fixture, {
      availableUnits: new Map([['web', CLAIMS]]),
      terms: { startsAtMs: 0 },
    });
    for (let from = 0; from < CLAIMS; from += MAX_CLAIMS_PER_CALL) {
      const count = Math.min(MAX_CLAIMS_PER_CALL, CLAIMS - from);
      const wanted = Array.from({ length: count }, (_, at) =>
        request({ orderId: `o${from + at}`, buyerId: `b${from + at}`, channel: 'web' }),
      );
      await segment.claim(wanted);
    }
    expect((await store.queue.depth()).entries).toBe(CLAIMS);

    const read = new Set<string>();
    for (;;) {
      const claims = (await store.queue.read('late', GROUP)).map(({ claim }) => claim);
      if (claims.length === 0) break;
      for (const { orderId } of claims) read.add(orderId);
      await store.queue.remove(claims);
    }
    expect(read.size).toBe(CLAIMS);
    expect((await store.queue.depth()).entries).toBe(0);
    store.close();
  });
});
