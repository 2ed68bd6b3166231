/** A win that was answered and went down with its Redis: its buyer hears that it is lost, and may try again. */
import { beforeEach, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '../adapters/memory/telemetry.ts';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import type { PurchaseAccepted } from '../funnel/purchase.ts';
import type { Engine } from './engine.ts';
import { buyerOf, describeOnRedis, openSale, signer, tokenFor } from './engines-on-redis.contract.ts';

const SALE = 'skin';

describeOnRedis('an order whose claim was lost', { found: await startRedis() }, ({ server, start }) => {
  let serve: Engine;
  let work: () => Promise<unknown>;
  let telemetry: MemoryTelemetry;

  beforeEach(async () => {
    const ledger = createMemoryLedger({ clock });
    telemetry = createMemoryTelemetry();
    serve = (await start(ledger, { works: false, telemetry })).engine;
    work = () => start(ledger, { telemetry });
    await openSale(serve, SALE, { totalUnits: 1, segments: 1 });
  });

  const buy = (buyerId: string, token: string) =>
    serve.purchase({ saleId: SALE, buyer: buyerOf(buyerId), token, units: 1 });
  /** A win that is in no ledger, and of which its gate knows nothing any more. */
  async function winAndLose(token: string): Promise<PurchaseAccepted & { readonly receipt: string }> {
    const won = await buy('ann', token);
    if (won.kind === 'refused' || won.receipt === null) throw new Error('she won, and has a receipt');
    await server.admin.flushall();
    return { ...won, receipt: won.receipt };
  }
  const state = async ({ orderId, receipt }: { readonly orderId: string; readonly receipt: string }, who = 'ann') =>
    (await serve.findOrder(orderId, buyerOf(who), receipt))?.state ?? null;

  test('is queued while it may still come, then lost; its token buys again, and what it buys is the order', async () => {
    const token = await tokenFor(serve, SALE, 'ann');
    const won = await winAndLose(token);
    expect(await state(won)).toBe('queued');
    await work();
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
    const [token, other] = [await tokenFor(serve, SALE, 'ann'), await tokenFor(serve, SALE, 'ben')];
    const won = await winAndLose(token);
    await work();
    await expect.poll(async () => (await buy('ben', other)).kind, { timeout: 10_000 }).toBe('accepted');
    await expect.poll(() => state(won), { timeout: 10_000 }).toBe('lost');
    expect(await buy('ann', token)).toMatchObject({ kind: 'refused', reason: 'none_left_now' });
    expect(await state(won)).toBe('lost');
  });

  test('is told to nobody but who can show its own receipt', async () => {
    const won = await winAndLose(await tokenFor(serve, SALE, 'ann'));
    await work();
    await expect.poll(() => state(won), { timeout: 10_000 }).toBe('lost');
    expect(await state(won, 'ben')).toBeNull();
    for (const receipt of ['', 'x.y.z', `${won.receipt}x`, signer.sign('receipt', [won.orderId])]) {
      expect(await state({ ...won, receipt })).toBeNull();
    }
    expect(await state({ ...won, orderId: 'another-order-of-hers' })).toBeNull();
  });
});
