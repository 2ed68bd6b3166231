/** What every ledger promises of its centre: moves, releases and epochs. */
import { describe, expect, test } from 'vitest';
import { BEFORE_ALL, claimId } from '../domain/order/claim.ts';
import type { Ledger } from './ledger.ts';
import {
  brokenLaws,
  journalOf,
  newClaim,
  newDraft,
  openEpoch,
  openSale,
  QUOTAS,
  quotaKey,
  REGION,
  stockOf,
} from './ledger-fixture.contract.ts';

export function inventoryCentreContract(ledger: () => Ledger): void {
  const newSale = async (totalUnits = 10) => {
    const draft = newDraft({ totalUnits });
    await ledger().sales.create(draft, QUOTAS);
    return draft.id;
  };

  describe('moves', () => {
    test('take free units to a quota, in transit until they have arrived', async () => {
      const saleId = await newSale();
      const moveId = `${saleId}/m1`;
      const answer = await ledger().inventoryCentre.allot({ moveId, quota: quotaKey(saleId), units: 4 });
      expect(answer).toMatchObject({ kind: 'allotted', move: { units: 4 } });

      const issued = await stockOf(ledger(), saleId);
      expect(issued.centre).toEqual({ totalUnits: 10, freeUnits: 6, allottedUnits: 4 });
      expect(issued.openMoves).toEqual([{ id: moveId, quota: quotaKey(saleId), units: 4, epoch: 0 }]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);

      await ledger().inventoryCentre.finishMove(moveId);
      expect((await stockOf(ledger(), saleId)).openMoves).toEqual([]);
      expect((await journalOf(ledger(), saleId)).slice(1).map(({ from, to, units }) => [from, to, units])).toEqual([
        ['free', 'inTransit', 4],
        ['inTransit', 'atGate', 4],
      ]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('give what there is, and then nothing', async () => {
      const saleId = await newSale(3);
      const allot = (id: string) =>
        ledger().inventoryCentre.allot({ moveId: `${saleId}/${id}`, quota: quotaKey(saleId), units: 2 });
      expect(await allot('a')).toMatchObject({ kind: 'allotted', move: { units: 2 } });
      expect(await allot('b')).toMatchObject({ kind: 'allotted', move: { units: 1 } });
      expect(await allot('c')).toEqual({ kind: 'refused', reason: 'centre_empty' });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('answer a repeated id as the first time, before and after it arrived', async () => {
      const saleId = await newSale();
      const request = { moveId: `${saleId}/m`, quota: quotaKey(saleId), units: 4 };
      const first = await ledger().inventoryCentre.allot(request);
      expect(await ledger().inventoryCentre.allot(request)).toEqual(first);
      await ledger().inventoryCentre.finishMove(request.moveId);
      expect(await ledger().inventoryCentre.allot(request)).toEqual(first);
      await ledger().inventoryCentre.finishMove(request.moveId);
      const stock = await stockOf(ledger(), saleId);
      expect([stock.centre.freeUnits, stock.openMoves.length]).toEqual([6, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('never take more than is free, however many ask at once', async () => {
      const saleId = await newSale();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          ledger().inventoryCentre.allot({
            moveId: `${saleId}/${index}`,
            quota: quotaKey(saleId, index % 3),
            units: 3,
          }),
        ),
      );
      const units = answers.map((answer) => (answer.kind === 'allotted' ? answer.move.units : 0));
      expect(units.reduce((sum, each) => sum + each, 0)).toBe(10);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('that nobody issued finish without a trace', async () => {
      const saleId = await newSale();
      await ledger().inventoryCentre.finishMove(`${saleId}/unknown`);
      await ledger().inventoryCentre.finishRelease(`${saleId}/unknown`);
      expect(await journalOf(ledger(), saleId)).toHaveLength(1);
    });
  });

  describe('releases', () => {
    test('are in transit until they are delivered, once', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10 });
      const claim = newClaim(saleId, 1, { units: 3 });
      await ledger().settlement.settle([claim]);
      expect((await stockOf(ledger(), saleId)).openReleases.map((release) => release.id)).toEqual([claimId(claim)]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);

      const entries = (await journalOf(ledger(), saleId)).length;
      for (const _ of [1, 2]) await ledger().inventoryCentre.finishRelease(claimId(claim));
      expect((await stockOf(ledger(), saleId)).openReleases).toEqual([]);
      expect(await journalOf(ledger(), saleId)).toHaveLength(entries + 1);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });
  });

  describe('stock', () => {
    test('is null where there is no sale', async () => {
      expect(await ledger().inventoryCentre.stock('no-such-sale', [])).toBeNull();
    });

    test('tells which claims it knows by their origin', async () => {
      const saleId = await openSale(ledger());
      const ordered = newClaim(saleId, 1);
      const second = newClaim(saleId, 2, { orderId: ordered.orderId });
      const quarantined = newClaim(saleId, 3);
      const elsewhere = newClaim(saleId, 4, { orderId: ordered.orderId });
      const fresh = newClaim(saleId, 5);
      await ledger().settlement.settle([ordered, second]);
      await ledger().settlement.quarantine(quarantined, 'odd');
      const asked = [ordered, second, quarantined, elsewhere, fresh];
      const { knownClaimIds } = await stockOf(ledger(), saleId, asked);
      expect([...knownClaimIds].sort()).toEqual([ordered, second, quarantined].map(claimId).sort());
    });

    test('can be asked about a long queue', async () => {
      const saleId = await openSale(ledger());
      const queue = Array.from({ length: 3000 }, (_, index) => newClaim(saleId, index + 1));
      await ledger().settlement.settle(queue.slice(0, 100));
      expect((await stockOf(ledger(), saleId, queue)).knownClaimIds.size).toBe(100);
    });
  });

  describe('epochs', () => {
    test('open by compare-and-set: one of many', async () => {
      const saleId = await newSale();
      const segment = { saleId, region: REGION, segment: 0 };
      const request = { segment, fromEpoch: 0, cutThrough: BEFORE_ALL, queued: [] };
      const results = await Promise.all(Array.from({ length: 8 }, () => ledger().inventoryCentre.openEpoch(request)));
      expect(results.filter((result) => result.kind === 'opened')).toHaveLength(1);
      expect(results.find((result) => result.kind === 'stale')).toEqual({ kind: 'stale', epoch: 1 });
      const record = (await stockOf(ledger(), saleId)).segments.find((candidate) => candidate.segment === 0);
      expect(record).toMatchObject({ epoch: 1, cuts: [{ epoch: 1, through: BEFORE_ALL }] });
    });

    test('close what was in transit to their segment, and to no other', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10, limitUnits: 1 });
      const claims = [1, 2].map((seq) => newClaim(saleId, seq, { buyerId: 'one' }));
      await ledger().settlement.settle(claims);
      const draft = await newSale();
      for (const [index, id] of [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
      ] as const) {
        await ledger().inventoryCentre.allot({ moveId: `${draft}/${id}`, quota: quotaKey(draft, index), units: 2 });
      }

      for (const each of [saleId, draft]) {
        await openEpoch(ledger(), each);
        expect(await brokenLaws(ledger(), each)).toEqual([]);
      }
      expect((await stockOf(ledger(), saleId)).openReleases).toEqual([]);
      expect((await stockOf(ledger(), draft)).openMoves.map((move) => move.id)).toEqual([`${draft}/c`]);

      const entries = await journalOf(ledger(), draft);
      await ledger().inventoryCentre.finishMove(`${draft}/a`);
      expect(await journalOf(ledger(), draft)).toEqual(entries);
    });

    test('take the snapshot that a load is made from', async () => {
      const saleId = await openSale(ledger());
      const claims = Array.from({ length: 6 }, (_, index) => newClaim(saleId, index + 1));
      const [ordered, second, counted, quarantined, other, beyond] = claims.map((claim, index) =>
        index === 1 ? { ...claim, orderId: `${saleId}/order-1` } : claim,
      );
      if (!ordered || !second || !counted || !quarantined || !other || !beyond) throw new Error('six claims');
      await ledger().settlement.settle([ordered, second]);
      await ledger().settlement.quarantine(quarantined, 'odd');
      const elsewhere = { ...other, origin: { ...other.origin, segment: 1 } };
      const result = await ledger().inventoryCentre.openEpoch({
        segment: { saleId, region: REGION, segment: 0 },
        fromEpoch: 1,
        cutThrough: { epoch: 1, seq: 5 },
        queued: [ordered, second, counted, quarantined, elsewhere, beyond],
      });
      if (result.kind !== 'opened') throw new Error('the epoch was opened');

      const { snapshot } = result;
      expect(snapshot).toMatchObject({ segment: { saleId, region: REGION, segment: 0 }, epoch: 2 });
      expect(snapshot.terms).toMatchObject({ state: 'live', limitUnits: 2 });
      expect(snapshot.countedClaims).toEqual([counted]);
      expect(snapshot.orders.map((order) => order.orderId)).toEqual([ordered.orderId]);
      expect(snapshot.quotas.map((quota) => [quota.channel, quota.heldUnits, quota.quarantinedUnits]).sort()).toEqual([
        ['app', 0, 0],
        ['web', 1, 1],
      ]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('open above the epoch of a gate that is ahead, and count what it has queued', async () => {
      const saleId = await openSale(ledger());
      const ahead = [1, 2].map((seq) => newClaim(saleId, seq, { epoch: 4 }));
      const result = await ledger().inventoryCentre.openEpoch({
        segment: { saleId, region: REGION, segment: 0 },
        ...{ fromEpoch: 1, gateEpoch: 4 },
        ...{ cutThrough: { epoch: 4, seq: 2 }, queued: ahead },
      });
      expect(result).toMatchObject({ kind: 'opened', snapshot: { epoch: 5, countedClaims: ahead } });
      const late = newClaim(saleId, 3, { epoch: 4 });
      expect(await ledger().settlement.settle([...ahead, late])).toMatchObject([
        ...[{ kind: 'settled' }, { kind: 'settled' }],
        { kind: 'refused', order: { refusal: 'stale_epoch' }, release: null },
      ]);
      expect((await stockOf(ledger(), saleId)).segments[0]).toMatchObject({ epoch: 5 });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('count a claim that waits beside an order of its id, for its units come back by its own origin', async () => {
      const saleId = await openSale(ledger());
      const ordered = newClaim(saleId, 1);
      const waiting = newClaim(saleId, 2, { orderId: ordered.orderId });
      await ledger().settlement.settle([ordered]);
      const result = await ledger().inventoryCentre.openEpoch({
        segment: { saleId, region: REGION, segment: 0 },
        fromEpoch: 1,
        cutThrough: { epoch: 1, seq: 2 },
        queued: [waiting],
      });
      expect(result).toMatchObject({ kind: 'opened', snapshot: { countedClaims: [waiting] } });
    });

    test('put every later move and release under themselves', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10 });
      await openEpoch(ledger(), saleId);
      const claim = newClaim(saleId, 1, { epoch: 2, units: 3 });
      await ledger().settlement.settle([claim]);
      const other = await newSale();
      await openEpoch(ledger(), other);
      await ledger().inventoryCentre.allot({ moveId: `${other}/m`, quota: quotaKey(other), units: 1 });
      expect((await stockOf(ledger(), saleId)).openReleases).toMatchObject([{ epoch: 2 }]);
      expect((await stockOf(ledger(), other)).openMoves).toMatchObject([{ epoch: 1 }]);
    });
  });
}
