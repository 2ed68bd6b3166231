import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import type { Buyer } from '../domain/buyer.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { SaleWish } from '../inventory/create-sale.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';

const clock = systemClock;
const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);

function newWorld() {
  const idSource = createIdSource();
  const store = createMemoryStore({ clock, idSource });
  const ledger = createMemoryLedger({ clock });
  const crashes: unknown[] = [];
  const engine = buildEngine({
    ...{
      clock,
      idSource,
      signer,
      ledger,
      gate: store.gate,
      queue: store.queue,
      marks: store.marks,
      feed: createMemoryOrderFeed(),
    },
    onFault: () => {},
    onCrash: (error) => crashes.push(error),
  });
  return { engine, store, ledger, crashes };
}

function draftOf(id: string, totalUnits: number, more: Partial<SaleWish> = {}): SaleWish {
  const nowMs = clock.nowMs();
  return {
    ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
    ...{ id, title: id, totalUnits, limitUnits: 1, holdMs: 60_000 },
    ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 60_000 },
    ...more,
  };
}

function buyerOf(buyerId: string): Buyer {
  return { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
}

async function tokenFor(engine: Engine, saleId: string, buyer: Buyer) {
  const issued = await engine.issueToken(saleId, buyer);
  if (issued.kind !== 'issued') throw new Error(`no token: ${issued.reason}`);
  return issued;
}

async function buy(engine: Engine, saleId: string, buyerId: string, units = 1) {
  const buyer = buyerOf(buyerId);
  const issued = await engine.issueToken(saleId, buyer);
  if (issued.kind === 'refused') return issued;
  return engine.purchase({ saleId, buyer, token: issued.token, units });
}

async function placesOf(engine: Engine, saleId: string) {
  const result = await engine.readPlaces(saleId);
  if (result.kind !== 'read') throw new Error(result.kind);
  expect(result.reading).toMatchObject({ isBalanced: true, isStill: true });
  return result.reading.places;
}

describe('one purchase, from token to ledger', () => {
  let world: ReturnType<typeof newWorld>;
  let engine: Engine;

  beforeEach(async () => {
    world = newWorld();
    engine = world.engine;
    await engine.start();
  });

  afterEach(async () => {
    await engine.stop();
    expect(world.crashes).toEqual([]);
  });

  async function openSale(draft: SaleWish): Promise<void> {
    expect((await engine.createSale(draft)).kind).toBe('created');
    expect((await engine.operateSale(draft.id, 'publish')).kind).toBe('changed');
  }

  it('answers after the ledger has the order', async () => {
    await openSale(draftOf('skin', 3));
    const answer = await buy(engine, 'skin', 'ann');
    expect(answer).toMatchObject({ kind: 'accepted', status: 'pending', units: 1, isReplayed: false });
    if (answer.kind !== 'accepted') return;
    expect(await world.ledger.orders.find(answer.orderId)).toMatchObject({
      buyerId: 'ann',
      state: 'pending',
      units: 1,
    });
    expect(answer.receipt && signer.verify('receipt', answer.receipt)?.[0]).toContain(answer.orderId);
    expect(await placesOf(engine, 'skin')).toEqual({
      ...{ free: 0, available: 2, claimed: 0, inTransit: 0, held: 1, sold: 0, quarantined: 0 },
    });
  });

  it('sells exactly what there is to a crowd, in one answer each', async () => {
    await openSale(draftOf('skin', 25));
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => buy(engine, 'skin', `buyer-${index}`)));
    const orderIds = answers.flatMap((answer) => (answer.kind === 'accepted' ? [answer.orderId] : []));
    expect(new Set(orderIds).size).toBe(25);
    for (const answer of answers) if (answer.kind === 'refused') expect(answer.reason).toBe('none_left_now');
    expect(await placesOf(engine, 'skin')).toMatchObject({ available: 0, held: 25 });
  });

  it('answers the same order to the same token, also when the stock is gone (K22)', async () => {
    await openSale(draftOf('skin', 1));
    const buyer = buyerOf('ann');
    const { token, orderId } = await tokenFor(engine, 'skin', buyer);
    const first = await engine.purchase({ saleId: 'skin', buyer, token, units: 1 });
    expect(first).toMatchObject({ kind: 'accepted', orderId, isReplayed: false });
    for (let repeat = 0; repeat < 100; repeat++) {
      const again = await engine.purchase({ saleId: 'skin', buyer, token, units: 1 });
      expect(again).toEqual({ ...first, isReplayed: true });
    }
    expect(await placesOf(engine, 'skin')).toMatchObject({ held: 1, available: 0 });
  });

  it('takes a double click as one purchase', async () => {
    await openSale(draftOf('skin', 5));
    const buyer = buyerOf('ann');
    const { token } = await tokenFor(engine, 'skin', buyer);
    const clicks = await Promise.all([1, 2, 3].map(() => engine.purchase({ saleId: 'skin', buyer, token, units: 1 })));
    expect(new Set(clicks.map((click) => (click.kind === 'accepted' ? click.orderId : click.reason))).size).toBe(1);
    expect(clicks.filter((click) => click.kind === 'accepted' && !click.isReplayed)).toHaveLength(1);
    expect(await placesOf(engine, 'skin')).toMatchObject({ held: 1, available: 4 });
  });

  it('refuses the same token with other units, and moves nothing', async () => {
    await openSale(draftOf('skin', 5, { limitUnits: 3 }));
    const buyer = buyerOf('ann');
    const { token } = await tokenFor(engine, 'skin', buyer);
    await engine.purchase({ saleId: 'skin', buyer, token, units: 1 });
    expect(await engine.purchase({ saleId: 'skin', buyer, token, units: 2 })).toMatchObject({
      reason: 'content_differs',
    });
    expect(await placesOf(engine, 'skin')).toMatchObject({ held: 1, available: 4 });
  });

  it('holds a buyer to the limit in units and names the live orders', async () => {
    await openSale(draftOf('skin', 50, { limitUnits: 3 }));
    const first = await buy(engine, 'skin', 'ann', 2);
    expect(await buy(engine, 'skin', 'ann', 2)).toMatchObject({
      reason: 'over_limit',
      liveOrderIds: [first.kind === 'accepted' && first.orderId],
    });
    expect(await buy(engine, 'skin', 'ann', 100)).toMatchObject({ reason: 'over_limit' });
    expect(await buy(engine, 'skin', 'ann', 1)).toMatchObject({ kind: 'accepted' });
  });

  it('says how many are left when more are asked for, and still sells those', async () => {
    await openSale(draftOf('skin', 3, { limitUnits: 5 }));
    expect(await buy(engine, 'skin', 'ann', 2)).toMatchObject({ kind: 'accepted' });
    expect(await buy(engine, 'skin', 'bob', 2)).toMatchObject({ reason: 'not_enough_left', leftUnits: 1 });
    expect(await buy(engine, 'skin', 'bob', 1)).toMatchObject({ kind: 'accepted' });
  });

  it('sells nothing before the window, outside it, or with a foreign or changed token', async () => {
    const startsAtMs = clock.nowMs() + 30_000;
    await openSale(draftOf('later', 5, { startsAtMs }));
    await openSale(draftOf('skin', 5));
    expect(await buy(engine, 'later', 'ann')).toMatchObject({ reason: 'too_early', retryAtMs: startsAtMs });
    await openSale(draftOf('past', 5, { endsAtMs: clock.nowMs() - 1 }));
    expect(await engine.issueToken('past', buyerOf('ann'))).toMatchObject({ reason: 'over' });
    expect(await engine.issueToken('absent', buyerOf('ann'))).toMatchObject({ reason: 'not_found' });

    const { token } = await tokenFor(engine, 'skin', buyerOf('ann'));
    const attempt = (saleId: string, buyerId: string, text: string) =>
      engine.purchase({ saleId, buyer: buyerOf(buyerId), token: text, units: 1 });
    expect(await attempt('skin', 'bob', token)).toMatchObject({ reason: 'token_foreign' });
    expect(await attempt('later', 'ann', token)).toMatchObject({ reason: 'token_foreign' });
    expect(await attempt('skin', 'ann', `${token}x`)).toMatchObject({ reason: 'token_invalid' });
    expect(await placesOf(engine, 'skin')).toMatchObject({ available: 5 });
  });

  it('does not know a draft, and publishes it once', async () => {
    await engine.createSale(draftOf('skin', 5));
    expect(await engine.findSale('skin')).toBeNull();
    expect(await engine.issueToken('skin', buyerOf('ann'))).toMatchObject({ reason: 'not_found' });
    expect(await placesOf(engine, 'skin')).toMatchObject({ free: 5 });
    expect((await engine.operateSale('skin', 'publish')).kind).toBe('changed');
    expect((await engine.operateSale('skin', 'publish')).kind).toBe('repeated');
    expect(await placesOf(engine, 'skin')).toMatchObject({ free: 0, available: 5 });
  });

  it('shows an order to its buyer only', async () => {
    await openSale(draftOf('skin', 5));
    const answer = await buy(engine, 'skin', 'ann');
    if (answer.kind !== 'accepted') throw new Error(answer.reason);
    expect(await engine.findOrder(answer.orderId, buyerOf('ann'))).toMatchObject({ units: 1 });
    expect(await engine.findOrder(answer.orderId, buyerOf('bob'))).toBeNull();
  });

  const noticeOf = (orderId: string, outcome: 'paid' | 'failed' | 'refunded' = 'paid', reference = orderId) => ({
    ...{ orderId, outcome, reference, amount: null },
  });

  async function order(saleId: string, buyerId: string): Promise<string> {
    const answer = await buy(engine, saleId, buyerId);
    if (answer.kind !== 'accepted') throw new Error(answer.reason);
    return answer.orderId;
  }

  it('sells a cancelled unit again, and lets its buyer buy again', async () => {
    await openSale(draftOf('skin', 1));
    const orderId = await order('skin', 'ann');
    expect(await buy(engine, 'skin', 'bob')).toMatchObject({ reason: 'none_left_now' });
    const cancel = { orderId, buyer: buyerOf('ann'), receipt: null };
    expect(await engine.cancelOrder({ ...cancel, buyer: buyerOf('bob') })).toMatchObject({ reason: 'not_found' });
    expect(await engine.cancelOrder(cancel)).toMatchObject({ kind: 'cancelled', isRepeated: false });
    expect(await engine.cancelOrder(cancel)).toMatchObject({ kind: 'cancelled', isRepeated: true });
    expect(await placesOf(engine, 'skin')).toMatchObject({ available: 1, held: 0 });
    expect(await buy(engine, 'skin', 'ann')).toMatchObject({ kind: 'accepted' });
  });

  it('sells what is not paid in time again, to the last unit', async () => {
    await openSale(draftOf('skin', 5, { holdMs: 1 }));
    const orderIds = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((buyerId) => order('skin', buyerId)));
    for (const orderId of orderIds.slice(0, 3)) await engine.notePayment(noticeOf(orderId));
    await expect.poll(async () => (await placesOf(engine, 'skin')).held, { timeout: 5_000 }).toBe(0);
    const { sold, available } = await placesOf(engine, 'skin');
    expect(sold + available).toBe(5);
    for (let index = 0; index < available; index++) await order('skin', `late-${index}`);
    expect(await buy(engine, 'skin', 'too-late')).not.toMatchObject({ kind: 'accepted' });
  });

  it('takes late money while there are units, and owes it back when there are none (K19)', async () => {
    await openSale(draftOf('skin', 2));
    const [first, second] = [await order('skin', 'ann'), await order('skin', 'bob')];
    for (const [orderId, buyerId] of [
      [first, 'ann'],
      [second, 'bob'],
    ] as const) {
      await engine.cancelOrder({ orderId, buyer: buyerOf(buyerId), receipt: null });
    }
    await order('skin', 'cat');
    await engine.notePayment(noticeOf(first));
    await expect.poll(() => engine.findOrder(first, buyerOf('ann'))).toMatchObject({ state: 'paid' });
    await engine.notePayment(noticeOf(second));
    await expect.poll(() => engine.findOrder(second, buyerOf('bob'))).toMatchObject({ state: 'paid_unfulfilled' });
    expect((await engine.orderHistory(second)).map((event) => event.type)).toContain('order.refund_due');
    expect(await placesOf(engine, 'skin')).toMatchObject({ held: 1, sold: 1, available: 0 });
    await engine.notePayment(noticeOf(first, 'refunded'));
    await expect.poll(() => engine.findOrder(first, buyerOf('ann'))).toMatchObject({ state: 'refunded' });
    expect(await placesOf(engine, 'skin')).toMatchObject({ held: 1, sold: 0, available: 1 });
    expect(await buy(engine, 'skin', 'dan')).toMatchObject({ kind: 'accepted' });
  });

  it('gives a buyer who comes again without his answer the same order, never a second payable one (K21)', async () => {
    await openSale(draftOf('skin', 1));
    const orderId = await order('skin', 'ann');
    expect(await buy(engine, 'skin', 'ann')).toMatchObject({ reason: 'over_limit', liveOrderIds: [orderId] });
  });

  it('sells again by itself after the gate has lost everything, and never more than there is (K23)', async () => {
    await openSale(draftOf('skin', 10));
    for (let index = 0; index < 4; index++) await buy(engine, 'skin', `before-${index}`);
    const buyer = buyerOf('before-0');
    const { token } = await tokenFor(engine, 'skin', buyer);
    world.store.lose();

    let accepted = 0;
    for (let index = 0; accepted < 6; index++) {
      const answer = await buy(engine, 'skin', `after-${index}`);
      if (answer.kind === 'accepted') accepted++;
      else {
        expect(answer.reason).toBe('not_ready');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    expect(await buy(engine, 'skin', 'late')).toMatchObject({ reason: 'none_left_now' });
    expect(await engine.purchase({ saleId: 'skin', buyer, token, units: 1 })).toMatchObject({ reason: 'over_limit' });
    expect(await placesOf(engine, 'skin')).toMatchObject({ held: 10, available: 0 });
  });
});
