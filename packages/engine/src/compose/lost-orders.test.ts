/** A win that was answered and went down with its Redis: its buyer hears that it is lost, and may try again. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '../adapters/memory/telemetry.ts';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { openRedisStore } from '../adapters/redis/store.ts';
import { TEST_LEDGER } from '../adapters/redis/test-names.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { PurchaseAccepted } from '../funnel/purchase.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';

const found = await startRedis();
const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
const SALE = 'skin';
const buyerOf = (buyerId: string) => ({ buyerId, region: HOME_REGION, channel: MAIN_CHANNEL });

describe.skipIf('missing' in found)('an order whose claim was lost', { timeout: 60_000 }, () => {
  const server = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  const ends: (() => unknown)[] = [];
  let ledger: ReturnType<typeof createMemoryLedger>;
  let serve: Engine;
  let telemetry: MemoryTelemetry;

  async function start(works: boolean): Promise<Engine> {
    const store = await openRedisStore({ ledgerId: TEST_LEDGER, url: server().url, clock });
    const { gate, queue, marks, feed, lendingLine, serverClock } = store;
    const engine = buildEngine({
      ...{ clock, signer, idSource: createIdSource(), ledger, works, telemetry },
      ...{ gate, queue, marks, feed, lendingLine, gateClock: serverClock, isGateShared: true, answersQueued: true },
      onFault: () => {},
      onCrash: (error) => {
        throw error;
      },
    });
    await engine.start();
    ends.push(async () => {
      await engine.stop();
      store.close();
    });
    return engine;
  }
  beforeEach(async () => {
    await server().admin.flushall();
    ledger = createMemoryLedger({ clock });
    telemetry = createMemoryTelemetry();
    serve = await start(false);
    const nowMs = clock.nowMs();
    await serve.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC', id: SALE, title: SALE, segments: 1 },
      ...{ totalUnits: 1, limitUnits: 1, holdMs: 600_000, startsAtMs: nowMs - 60_000, endsAtMs: nowMs + 600_000 },
    });
    await serve.operateSale(SALE, 'publish');
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  afterAll(() => server().stop());

  async function tokenFor(buyerId: string): Promise<string> {
    const issued = await serve.issueToken(SALE, buyerOf(buyerId));
    if (issued.kind === 'refused') throw new Error(issued.reason);
    return issued.token;
  }
  const buy = (buyerId: string, token: string) =>
    serve.purchase({ saleId: SALE, buyer: buyerOf(buyerId), token, units: 1 });
  /** A win that is in no ledger, and of which its gate knows nothing any more. */
  async function winAndLose(token: string): Promise<PurchaseAccepted & { readonly receipt: string }> {
    const won = await buy('ann', token);
    if (won.kind === 'refused' || won.receipt === null) throw new Error('she won, and has a receipt');
    await server().admin.flushall();
    return { ...won, receipt: won.receipt };
  }
  const state = async ({ orderId, receipt }: { readonly orderId: string; readonly receipt: string }, who = 'ann') =>
    (await serve.findOrder(orderId, buyerOf(who), receipt))?.state ?? null;

  test('is queued while it may still come, then lost; its token buys again, and what it buys is the order', async () => {
    const token = await tokenFor('ann');
    const won = await winAndLose(token);
    expect(await state(won)).toBe('queued');
    await start(true);
    await expect.poll(() => state(won), { timeout: 10_000 }).toBe('lost');
    expect(await serve.findOrder(won.orderId, buyerOf('ann'))).toBeNull();
    expect(await state(won)).toBe('lost');
    expect(telemetry.figures.get('orders lost')).toBe(1);

    await expect.poll(async () => (await buy('ann', token)).kind, { timeout: 10_000 }).toBe('accepted');
    await expect.poll(() => state(won), { timeout: 10_000 }).toBe('pending');
    const read = await serve.readPlaces(SALE);
    expect(read).toMatchObject({ reading: { isBalanced: true, places: { held: 1, available: 0 } } });
  });

  test('stays lost when another has bought its unit, and its token is told so', async () => {
    const [token, other] = [await tokenFor('ann'), await tokenFor('ben')];
    const won = await winAndLose(token);
    await start(true);
    await expect.poll(async () => (await buy('ben', other)).kind, { timeout: 10_000 }).toBe('accepted');
    await expect.poll(() => state(won), { timeout: 10_000 }).toBe('lost');
    expect(await buy('ann', token)).toMatchObject({ kind: 'refused', reason: 'none_left_now' });
    expect(await state(won)).toBe('lost');
  });

  test('is told to nobody but who can show its own receipt', async () => {
    const won = await winAndLose(await tokenFor('ann'));
    await start(true);
    await expect.poll(() => state(won), { timeout: 10_000 }).toBe('lost');
    expect(await state(won, 'ben')).toBeNull();
    for (const receipt of ['', 'x.y.z', `${won.receipt}x`, signer.sign('receipt', [won.orderId])]) {
      expect(await state({ ...won, receipt })).toBeNull();
    }
    expect(await state({ ...won, orderId: 'another-order-of-hers' })).toBeNull();
  });
});
