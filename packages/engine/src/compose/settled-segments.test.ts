/** A worker looks through the segments of sales that live, not through those of all sales that ever were. */
import { afterAll, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { openRedisStore } from '../adapters/redis/store.ts';
import { TEST_LEDGER, TEST_NAMES } from '../adapters/redis/test-names.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { buildEngine } from './build-engine.ts';

const found = await startRedis();
afterAll(() => ('missing' in found ? undefined : found.server.stop()));

test.skipIf('missing' in found)('segments of a settled sale are looked at no more', { timeout: 60_000 }, async () => {
  if ('missing' in found) throw new Error(found.missing);
  const store = await openRedisStore({ ledgerId: TEST_LEDGER, url: found.server.url, clock });
  const { gate, queue, marks, feed, lendingLine, serverClock } = store;
  const engine = buildEngine({
    ...{ clock, signer: createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]), idSource: createIdSource() },
    ...{ gate, queue, marks, feed, lendingLine, gateClock: serverClock, isGateShared: true, answersQueued: true },
    ledger: createMemoryLedger({ clock }),
    onFault: () => {},
    onCrash: (error) => {
      throw error;
    },
  });
  await engine.start();
  const nowMs = clock.nowMs();
  for (const id of ['ended', 'living']) {
    await engine.createSale({
      ...{ offer: plainOffer(id), timeZone: 'UTC', id, title: id, segments: 4, totalUnits: 8, limitUnits: 1 },
      ...{ holdMs: 600_000, startsAtMs: nowMs - 60_000, endsAtMs: nowMs + 600_000 },
    });
    await engine.operateSale(id, 'publish');
  }
  const listed = () => found.server.admin.scard(TEST_NAMES.segments);
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
  await engine.stop();
  store.close();
});
