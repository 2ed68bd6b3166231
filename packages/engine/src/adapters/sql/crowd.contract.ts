/**
 * What only many connections can show: workers, back ends, sweepers and rebuilds that meet on the same rows. Whatever the order
 * in which they get through, nothing happens twice and every law holds.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BEFORE_ALL, type Claim } from '../../domain/order/claim.ts';
import { isLive, type Order } from '../../domain/order/order.ts';
import type { PaymentNotice } from '../../domain/order/payment.ts';
import type { OpenEpochResult } from '../../ports/inventory-centre.ts';
import type { Ledger } from '../../ports/ledger.ts';
import {
  brokenLaws,
  faultOf,
  journalOf,
  newClaim,
  newDraft,
  openEpoch,
  openSale,
  QUOTAS,
  quotaKey,
  quotasOf,
  REGION,
  stockOf,
} from '../../ports/ledger-fixture.contract.ts';
import { newGroup } from '../../ports/limit-groups.contract.ts';
import { relaysContract } from './relays.contract.ts';

interface CrowdSubject {
  readonly name: string;
  /** A ledger over a pool of its own, on one and the same database; an impatient one tries nothing again. */
  open(): Promise<{ connect(isPatient?: boolean): Promise<Ledger>; close(): Promise<void> }>;
}

const CROWD = 8;
const SLOW_MS = 180_000;

const paid = (orderId: string, reference = orderId): PaymentNotice => ({
  ...{ reference, orderId, outcome: 'paid', amount: null },
});

export function crowdContract(subject: CrowdSubject): void {
  describe(`a crowd at the ${subject.name} ledger`, { timeout: SLOW_MS }, () => {
    let opened: Awaited<ReturnType<CrowdSubject['open']>>;
    let ledgers: readonly Ledger[];
    let ledger: Ledger;
    beforeAll(async () => {
      opened = await subject.open();
      ledgers = await Promise.all(Array.from({ length: CROWD }, () => opened.connect()));
      ledger = await opened.connect();
    }, SLOW_MS);
    afterAll(() => opened.close());

    const atOnce = <Answer>(call: (ledger: Ledger, index: number) => Promise<Answer>): Promise<readonly Answer[]> =>
      Promise.all(ledgers.map(call));
    const claimsOf = (saleId: string, from: number, count: number): Claim[] =>
      Array.from({ length: count }, (_, index) => newClaim(saleId, from + index));

    relaysContract(() => ledgers);

    test('settles one message once, given to all at once (K30)', async () => {
      const saleId = await openSale(ledger);
      for (let seq = 1; seq <= 20; seq++) {
        const answers = await atOnce((one) => one.settlement.settle([newClaim(saleId, seq)]));
        const kinds = answers.flat().map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'settled')).toHaveLength(1);
        expect(kinds.filter((kind) => kind === 'repeated')).toHaveLength(CROWD - 1);
      }
      expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(20);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    });

    test('settles overlapping groups in opposite orders', async () => {
      const saleId = await openSale(ledger, { totalUnits: 300 });
      const all = claimsOf(saleId, 1, 200);
      for (let round = 0; round < 5; round++) {
        const part = all.slice(round * 40, round * 40 + 40);
        await atOnce((one, index) => one.settlement.settle(index % 2 === 0 ? part : [...part].reverse()));
      }
      expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(200);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    });

    test('settles groups over several sales whose segments are met in any order', async () => {
      const sales = await Promise.all(Array.from({ length: 3 }, () => openSale(ledger)));
      for (let round = 0; round < 5; round++) {
        await atOnce((one, index) => {
          const order = index % 2 === 0 ? sales : [...sales].reverse();
          return one.settlement.settle(order.map((saleId) => newClaim(saleId, round * CROWD + index + 1)));
        });
      }
      for (const saleId of sales) {
        expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(5 * CROWD);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
    });

    test('holds one buyer to the limit when two segments meet a buyer that is new to both', async () => {
      for (let round = 0; round < 10; round++) {
        const saleId = await openBoth(ledger, { totalUnits: 40, limitUnits: 1 });
        const buyerId = `both-${round}`;
        const outcomes = await atOnce((one, index) =>
          one.settlement.settle([inSegment(newClaim(saleId, index + 1, { buyerId }), index % 2)]),
        );
        const kinds = outcomes.flat().map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'settled')).toHaveLength(1);
        expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(CROWD - 1);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
    });

    test('sells a buyer one of three sales, however many settle them at the same moment', async () => {
      const limitGroup = newGroup();
      const sales: string[] = [];
      for (let each = 0; each < 3; each++) {
        sales.push(await openSale(ledger, { totalUnits: 1_000, limitUnits: 1, limitGroup }));
      }
      const buyers = 60;
      for (let round = 0; round < 5; round++) {
        // Each settles one sale's claims of all buyers, new ones and known ones, in an order of its own.
        const answers = await atOnce((one, index) => {
          const claims = Array.from({ length: buyers }, (_, at) => {
            const seq = 1 + round * CROWD * buyers + index * buyers + at;
            return newClaim(sales[index % 3] ?? '', seq, { buyerId: `any-${(at + round * 30) % 180}` });
          });
          return one.settlement.settle(index % 2 === 0 ? claims : [...claims].reverse());
        });
        const kinds = answers.flat().map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind !== 'settled' && kind !== 'refused')).toEqual([]);
        expect(kinds.filter((kind) => kind === 'settled')).toHaveLength(round === 0 ? buyers : buyers / 2);
      }
      const counts = new Map<string, number>();
      for (const saleId of sales) {
        const { orders } = await ledger.orders.list({ saleId, state: 'pending' }, null, 1_000);
        for (const { buyerId } of orders) counts.set(buyerId, (counts.get(buyerId) ?? 0) + 1);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
      expect([...new Set(counts.values())]).toEqual([1]);
      expect(counts.size).toBe(buyers + 4 * (buyers / 2));
    });

    test('has no settlement of a group undone because a buyer was new to another, too', async () => {
      const limitGroup = newGroup();
      // Few, as each waits for those before it, and gives up after two seconds.
      const impatient = await Promise.all(Array.from({ length: 3 }, () => opened.connect(false)));
      const sales = await Promise.all(
        impatient.map(() => openSale(ledger, { totalUnits: 1_000, limitUnits: 1, limitGroup })),
      );
      for (let round = 0; round < 6; round++) {
        const settling = impatient.map((one, index) => {
          const claims = Array.from({ length: 20 }, (_, at) =>
            newClaim(sales[index] ?? '', 1 + round * 20 + at, { buyerId: `new-${round}-${at}` }),
          );
          return one.settlement.settle(index % 2 === 0 ? claims : claims.reverse());
        });
        const kinds = (await Promise.all(settling)).flat().map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'settled')).toHaveLength(20);
      }
    });

    test('makes one order of two claims for it in two segments, and gives the other’s units back', async () => {
      for (let round = 0; round < 10; round++) {
        const saleId = await openBoth(ledger, { totalUnits: 40 });
        const claim = newClaim(saleId, 1);
        const outcomes = await atOnce((one, index) => one.settlement.settle([inSegment(claim, index % 2)]));
        expect(outcomes.flat().filter(({ kind }) => kind === 'settled')).toHaveLength(1);
        const stock = await stockOf(ledger, saleId);
        expect(stock.openReleases).toHaveLength(1);
        expect(stock.quotas.reduce((sum, quota) => sum + quota.heldUnits, 0)).toBe(1);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
    });

    test('never loses money or a cancel that comes while its order is being settled', async () => {
      const rounds = 60;
      const saleId = await openSale(ledger, { totalUnits: rounds });
      for (let seq = 1; seq <= rounds; seq++) {
        const claim = newClaim(saleId, seq);
        const tell = (one: Ledger) =>
          seq % 3 === 0 ? one.orders.cancel(claim.orderId, null) : one.orders.notePayment(paid(claim.orderId));
        const [first = ledger, second = ledger] = ledgers;
        await Promise.all([first.settlement.settle([claim]), tell(second)]);
        expect((await ledger.orders.find(claim.orderId))?.state).toBe(seq % 3 === 0 ? 'cancelled' : 'paid');
      }
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    });

    test('ends an order once when money, wishes to cancel and sweepers meet', async () => {
      const rounds = 30;
      const saleId = await openSale(ledger, { totalUnits: rounds, holdMs: 0 });
      await ledger.settlement.settle(claimsOf(saleId, 1, rounds));
      for (let seq = 1; seq <= rounds; seq++) {
        const { orderId } = newClaim(saleId, seq);
        await atOnce<unknown>((one, index) => {
          if (index % 4 === 0) return one.orders.notePayment(paid(orderId));
          return index % 4 === 1 ? one.orders.cancel(orderId, null) : one.orders.expireDue(10);
        });
      }
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
      const orders = (await ledger.orders.list({ saleId }, null, rounds)).orders;
      expect(orders.filter((order) => order.state === 'pending')).toEqual([]);
      expect(liveUnits(orders)).toBe((await quotasOf(ledger, saleId))[0]?.soldUnits);
      const ended = orders.filter((order) => !isLive(order.state)).length;
      expect((await stockOf(ledger, saleId)).openReleases).toHaveLength(ended);
    });

    test('gives late money units or gives it up, when both are told at once', async () => {
      const states = new Set<string | undefined>();
      for (let round = 0; round < 10; round++) {
        const saleId = await openBoth(ledger, { totalUnits: 10, holdMs: 0 });
        const claim = newClaim(saleId, 1);
        await ledger.settlement.settle([claim]);
        await ledger.orders.expireDue(10);
        await ledger.orders.notePayment(paid(claim.orderId));
        const [waiting] = await ledger.orders.listReclaiming(1);
        if (!waiting) throw new Error('late money waits for units');
        const again = inSegment({ ...claim, origin: { ...claim.origin, seq: 2 } }, 1);
        await atOnce<unknown>((one, index) =>
          index % 2 === 0 ? one.settlement.settle([again]) : one.orders.giveUpReclaim(waiting.payment),
        );
        states.add((await ledger.orders.find(claim.orderId))?.state);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
      expect([...states].every((state) => state === 'paid' || state === 'paid_unfulfilled')).toBe(true);
    });

    test('gives one payment to one order, told of two at once', async () => {
      for (let round = 0; round < 10; round++) {
        // In segments of their own: nothing else makes one wait for the other.
        const saleId = await openBoth(ledger, { totalUnits: 40 });
        const claims = [inSegment(newClaim(saleId, 1), 0), inSegment(newClaim(saleId, 2), 1)];
        await ledger.settlement.settle(claims);
        const reference = `${saleId}/money`;
        await atOnce((one, index) =>
          faultOf(() => one.orders.notePayment(paid(newClaim(saleId, 1 + (index % 2)).orderId, reference))),
        );
        const { orders } = await ledger.orders.list({ saleId, state: 'paid' }, null, CROWD);
        expect(orders).toHaveLength(1);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
    });

    test('creates, publishes, stocks and allots once', async () => {
      const draft = newDraft({ totalUnits: 50 });
      const created = await atOnce((one) => one.sales.create(draft, QUOTAS));
      expect(created.filter(({ kind }) => kind === 'created')).toHaveLength(1);
      const published = await atOnce((one) => one.sales.operate(draft.id, 'publish'));
      expect(published.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
      await atOnce((one) => one.inventoryCentre.receiveStock(draft.id, { id: 'lorry', units: 10 }));
      await openEpoch(ledger, draft.id);
      const move = { moveId: `${draft.id}/first`, quota: quotaKey(draft.id), units: 30 };
      await atOnce((one) => one.inventoryCentre.allot(move));
      await atOnce((one) => one.inventoryCentre.finishMove(move.moveId));
      const { centre } = await stockOf(ledger, draft.id);
      expect(centre).toEqual({ totalUnits: 60, freeUnits: 30, allottedUnits: 30 });
      expect(await brokenLaws(ledger, draft.id)).toEqual([]);
    });

    test('allots no more than there is', async () => {
      const saleId = await openSale(ledger, { totalUnits: 20 });
      await ledger.inventoryCentre.receiveStock(saleId, { id: 'more', units: 10 });
      const answers = await atOnce((one, index) =>
        one.inventoryCentre.allot({ moveId: `${saleId}/m${index}`, quota: quotaKey(saleId, index % 3), units: 3 }),
      );
      const units = answers.map((answer) => (answer.kind === 'allotted' ? answer.move.units : 0));
      expect(units.reduce((sum, each) => sum + each, 0)).toBe(10);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    });

    test('opens one epoch of many rebuilds, while settlements and the gate’s thanks go on', async () => {
      const saleId = await openSale(ledger, { totalUnits: 500 });
      await ledger.inventoryCentre.receiveStock(saleId, { id: 'more', units: 60 });
      let epoch = 1;
      for (let round = 0; round < 10; round++) {
        const moveIds = Array.from({ length: 3 }, (_, index) => `${saleId}/${round}-${index}`);
        for (const moveId of moveIds) await ledger.inventoryCentre.allot({ moveId, quota: quotaKey(saleId), units: 1 });
        const fromEpoch = epoch;
        const segment = { saleId, region: REGION, segment: 0 };
        const results = await atOnce<unknown>((one, index) => {
          const moveId = moveIds[index];
          if (moveId) return one.inventoryCentre.finishMove(moveId);
          if (index < 6) {
            return one.settlement.settle(
              claimsOf(saleId, round * 100 + index * 4, 4).map((claim) => at(claim, fromEpoch)),
            );
          }
          return one.inventoryCentre.openEpoch({ segment, fromEpoch, cutThrough: BEFORE_ALL, queued: [] });
        });
        const opened = (results as (OpenEpochResult | undefined)[]).filter((result) => result?.kind === 'opened');
        expect(opened).toHaveLength(1);
        // What is settled after the snapshot is stale, and has no units: the gate was loaded without it.
        const counted = opened.flatMap(({ snapshot }) => snapshot.orders.map((order) => order.orderId));
        const { orders } = await ledger.orders.list({ saleId, state: 'pending' }, null, 1_000);
        expect(orders.filter(({ orderId }) => !counted.includes(orderId))).toEqual([]);
        epoch++;
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
      expect((await stockOf(ledger, saleId)).openMoves).toEqual([]);
    });

    test('puts one claim aside once', async () => {
      const saleId = await openSale(ledger);
      const poison = newClaim('no-such-sale', 1, { orderId: `${saleId}/poison` });
      await atOnce((one) => one.settlement.quarantine(poison, 'no such sale'));
      await atOnce((one) => one.settlement.quarantine(newClaim(saleId, 1), 'at hand'));
      expect((await quotasOf(ledger, saleId))[0]?.quarantinedUnits).toBe(1);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    });

    test('reads the stock of one moment', async () => {
      const saleId = await openSale(ledger, { totalUnits: 100 });
      let isOver = false;
      const settling = (async () => {
        for (let seq = 1; seq <= 100; seq++) await ledgers[0]?.settlement.settle([newClaim(saleId, seq)]);
        isOver = true;
      })();
      while (!isOver) {
        const stock = await stockOf(ledger, saleId, claimsOf(saleId, 1, 100));
        const held = stock.quotas.reduce((sum, quota) => sum + quota.heldUnits, 0);
        expect(stock.knownClaimIds.size).toBe(held);
      }
      await settling;
      expect(await journalOf(ledger, saleId)).toHaveLength(103);
    });
  });
}

/** A live sale with units at the gates of both segments. */
export async function openBoth(
  ledger: Ledger,
  changes: { totalUnits: number; limitUnits?: number; holdMs?: number },
): Promise<string> {
  const draft = newDraft(changes);
  await ledger.sales.create(draft, QUOTAS);
  await ledger.sales.operate(draft.id, 'publish');
  for (const segment of [0, 1]) {
    const key = { saleId: draft.id, region: REGION, segment };
    const cutThrough = { epoch: 0, seq: 0 };
    await ledger.inventoryCentre.openEpoch({ segment: key, fromEpoch: 0, cutThrough, queued: [] });
    const quota = { ...key, channel: 'web' };
    const moveId = `${draft.id}/to-${segment}`;
    await ledger.inventoryCentre.allot({ moveId, quota, units: draft.totalUnits / 2 });
    await ledger.inventoryCentre.finishMove(moveId);
  }
  return draft.id;
}

function inSegment(claim: Claim, segment: number): Claim {
  return { ...claim, origin: { ...claim.origin, segment } };
}

function at(claim: Claim, epoch: number): Claim {
  return { ...claim, origin: { ...claim.origin, epoch } };
}

function liveUnits(orders: readonly Order[]): number {
  return orders.filter((order) => isLive(order.state)).reduce((sum, order) => sum + order.units, 0);
}
