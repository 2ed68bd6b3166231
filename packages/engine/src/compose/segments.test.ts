/** One engine whose sales have several segments: what its buyers and operators see is one sale. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import type { Buyer } from '../domain/buyer.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { segmentOfBuyer } from '../domain/inventory/segment-of-buyer.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { SaleWish } from '../inventory/create-sale.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';

const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);

function newWorld() {
  const idSource = createIdSource();
  const store = createMemoryStore({ clock, idSource });
  const ledger = createMemoryLedger({ clock });
  const crashes: unknown[] = [];
  const engine = buildEngine({
    ...{ clock, idSource, signer, ledger, feed: createMemoryOrderFeed() },
    ...{ gate: store.gate, queue: store.queue, marks: store.marks },
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

const buyerOf = (buyerId: string): Buyer => ({ buyerId, region: HOME_REGION, channel: MAIN_CHANNEL });

async function buy(engine: Engine, saleId: string, buyerId: string, units = 1) {
  const buyer = buyerOf(buyerId);
  const issued = await engine.issueToken(saleId, buyer);
  if (issued.kind === 'refused') return issued;
  return engine.purchase({ saleId, buyer, token: issued.token, units });
}

describe('a sale in several segments', () => {
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

  async function placesOf(saleId: string) {
    const result = await engine.readPlaces(saleId);
    if (result.kind !== 'read') throw new Error(result.kind);
    expect(result.reading).toMatchObject({ isBalanced: true, isStill: true });
    return result.reading.places;
  }

  it('has its stock divided over them when it is published, and keeps its number', async () => {
    await openSale(draftOf('skin', 10_007, { segments: 16 }));
    expect(await engine.showSale('skin')).toMatchObject({ segments: 16, totalUnits: 10_007 });
    const stock = await world.ledger.inventoryCentre.stock('skin', []);
    const allotted = (stock?.quotas ?? []).map(({ segment, allottedUnits }) => [segment, allottedUnits]);
    expect(allotted.sort(([a = 0], [b = 0]) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, segment) => [segment, segment < 7 ? 626 : 625]),
    );
    expect(await placesOf('skin')).toMatchObject({ free: 0, available: 10_007, inTransit: 0 });
  });

  it('has one segment in a gate in memory when it does not say', async () => {
    await openSale(draftOf('skin', 10_007));
    expect(await engine.showSale('skin')).toMatchObject({ segments: 1 });
  });

  it('meets each buyer in the same one: a repeat and the limit are told there', async () => {
    await openSale(draftOf('skin', 40, { segments: 4 }));
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, number) => {
        const buyer = buyerOf(`buyer-${number}`);
        const issued = await engine.issueToken('skin', buyer);
        if (issued.kind === 'refused') throw new Error(issued.reason);
        const request = { saleId: 'skin', buyer, token: issued.token, units: 1 };
        const [first, second] = [await engine.purchase(request), await engine.purchase(request)];
        if (first.kind !== 'accepted') throw new Error(first.reason);
        expect(first.isReplayed).toBe(false);
        expect(second).toMatchObject({ kind: 'accepted', orderId: first.orderId, isReplayed: true });
        expect(await engine.findOrder(first.orderId, buyer)).toMatchObject({ orderId: first.orderId });
        expect(await buy(engine, 'skin', buyer.buyerId)).toMatchObject({ reason: 'over_limit' });
        const order = await world.ledger.orders.find(first.orderId);
        expect(order?.origin.segment).toBe(segmentOfBuyer('skin', buyer.buyerId, 4));
        return order?.origin.segment;
      }),
    );
    expect(new Set(answers).size).toBeGreaterThan(1);
  });

  it('comes back to the centre whole when it is closed, and is settled', async () => {
    await openSale(draftOf('skin', 21, { segments: 4, holdMs: 600_000 }));
    await buy(engine, 'skin', 'ann');
    const [order] = (await engine.listOrders({ saleId: 'skin' }, null, 10)).orders;
    await engine.notePayment({ orderId: order?.orderId ?? '', reference: 'p1', outcome: 'paid', amount: null });
    expect((await engine.operateSale('skin', 'close')).kind).toBe('changed');
    expect(await engine.settleSale('skin')).toMatchObject({ kind: 'changed' });
    expect(await placesOf('skin')).toMatchObject({ free: 20, available: 0, sold: 1 });
  });

  /** Buyers who all meet the same segment. */
  function neighbours(count: number, segments: number): string[] {
    const ids = Array.from({ length: count * segments * 3 }, (_, number) => `neighbour-${number}`);
    return ids.filter((buyerId) => segmentOfBuyer('skin', buyerId, segments) === 0).slice(0, count);
  }

  it('sells the last units, spread over all segments, to the buyers of one', async () => {
    await openSale(draftOf('skin', 16, { segments: 16 }));
    const buyers = neighbours(20, 16);
    const answers = await Promise.all(buyers.map((buyerId) => buy(engine, 'skin', buyerId)));
    const won = answers.filter(({ kind }) => kind === 'accepted');
    expect(won).toHaveLength(16);
    const lost = answers.flatMap((answer) => (answer.kind === 'refused' ? [answer.reason] : []));
    expect(new Set(lost)).toEqual(new Set(['none_left_now']));
    expect(await placesOf('skin')).toMatchObject({ free: 0, available: 0, inTransit: 0, held: 16 });
  });

  it('gathers what one buyer wants from several segments', async () => {
    await openSale(draftOf('skin', 4, { segments: 4, limitUnits: 5 }));
    expect(await buy(engine, 'skin', 'ann', 4)).toMatchObject({ kind: 'accepted', units: 4 });
    expect(await buy(engine, 'skin', 'ben', 1)).toMatchObject({ reason: 'none_left_now' });
  });

  it('tells who wants more than all segments have that there is not enough, and keeps what there is', async () => {
    await openSale(draftOf('skin', 4, { segments: 4, limitUnits: 5 }));
    const moved = async () => (await world.ledger.inventoryCentre.stock('skin', []))?.generation;
    const before = await moved();
    expect(await buy(engine, 'skin', 'ann', 5)).toMatchObject({ reason: 'not_enough_left', leftUnits: 4 });
    expect(await moved(), 'nothing moves for who cannot have it').toBe(before);
    expect(await buy(engine, 'skin', 'ben', 4)).toMatchObject({ kind: 'accepted' });
  });

  it('sells ten thousand and seven units in sixteen segments, all of them', async () => {
    await openSale(draftOf('skin', 10_007, { segments: 16 }));
    const buyers = Array.from({ length: 11_000 }, (_, number) => `buyer-${number}`);
    const answers = await Promise.all(buyers.map((buyerId) => buy(engine, 'skin', buyerId)));
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(10_007);
    expect(await placesOf('skin')).toMatchObject({ available: 0, free: 0, held: 10_007 });
  }, 60_000);
});
