/** What every ledger promises of settlement. */
import { describe, expect, test } from 'vitest';
import { claimId } from '../domain/order/claim.ts';
import type { Ledger } from './ledger.ts';
import {
  brokenLaws,
  faultOf,
  journalOf,
  newClaim,
  openEpoch,
  openSale,
  quotaKey,
  quotasOf,
  stockOf,
} from './ledger-fixture.contract.ts';
import { MAX_CLAIMS_PER_SETTLEMENT } from './settlement.ts';

export function settlementContract(ledger: () => Ledger): void {
  const settle: Ledger['settlement']['settle'] = (claims) => ledger().settlement.settle(claims);
  const heldOf = async (saleId: string) => (await quotasOf(ledger(), saleId)).map((quota) => quota.heldUnits);

  describe('settlement', () => {
    test('turns a claim into a pending order that keeps its origin', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1, { units: 2 });
      const [outcome] = await settle([claim]);
      expect(outcome).toMatchObject({ kind: 'settled', claim, order: { ...claim, state: 'pending', refusal: null } });

      const order = await ledger().orders.find(claim.orderId);
      expect(order).toEqual(outcome?.order);
      expect((order?.dueAtMs ?? 0) - (order?.settledAtMs ?? 0)).toBe(900_000);
      expect(await heldOf(saleId)).toEqual([2, 0, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('writes the journal from gate to held', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      await settle([claim]);
      expect((await journalOf(ledger(), saleId)).at(-1)).toEqual({
        saleId,
        quota: quotaKey(saleId),
        from: 'atGate',
        to: 'held',
        units: 1,
        cause: 'order',
        causeId: claim.orderId,
      });
    });

    test('settles nothing when there is nothing', async () => {
      expect(await settle([])).toEqual([]);
    });

    test('changes nothing when a claim is delivered again', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      const [first] = await settle([claim]);
      const entries = await journalOf(ledger(), saleId);
      expect(await settle([claim])).toEqual([{ kind: 'repeated', claim, order: first?.order }]);
      expect(await journalOf(ledger(), saleId)).toEqual(entries);
      expect(await heldOf(saleId)).toEqual([1, 0, 0]);
    });

    test('makes one order of a claim that is settled eight times at once', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      const outcomes = (await Promise.all(Array.from({ length: 8 }, () => settle([claim])))).flat();
      expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual([...Array(7).fill('repeated'), 'settled']);
      expect(await heldOf(saleId)).toEqual([1, 0, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('makes one order of a claim that comes twice in one group', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      const outcomes = await settle([claim, claim]);
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(['settled', 'repeated']);
      expect(await heldOf(saleId)).toEqual([1, 0, 0]);
    });

    test('gives back the units of a second claim for an order, once', async () => {
      const saleId = await openSale(ledger());
      const first = newClaim(saleId, 1);
      const second = newClaim(saleId, 2, { orderId: first.orderId, buyerId: first.buyerId });
      await settle([first]);
      const release = { ...second, id: claimId(second), epoch: 1, destination: 'quota' };
      expect(await settle([second])).toMatchObject([{ kind: 'second_claim', order: { state: 'pending' }, release }]);
      expect((await settle([second, first])).map((outcome) => outcome.kind)).toEqual(['repeated', 'repeated']);

      const { openReleases } = await stockOf(ledger(), saleId);
      expect(openReleases).toEqual([release]);
      expect((await ledger().orders.find(first.orderId))?.origin).toEqual(first.origin);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('holds a buyer to the limit, within a group and across groups', async () => {
      const saleId = await openSale(ledger(), { limitUnits: 3 });
      const claims = [1, 2, 3].map((seq) => newClaim(saleId, seq, { buyerId: 'greedy', units: 2 }));
      const [one, two, three] = claims;
      if (!one || !two || !three) throw new Error('three claims');
      expect((await settle([one, two])).map(({ kind, order }) => [kind, order?.refusal])).toEqual([
        ['settled', null],
        ['refused', 'over_limit'],
      ]);
      expect((await settle([three]))[0]).toMatchObject({ kind: 'refused', order: { refusal: 'over_limit' } });
      const last = newClaim(saleId, 4, { buyerId: 'greedy', units: 1 });
      expect((await settle([last]))[0]).toMatchObject({ kind: 'settled' });
      expect(await heldOf(saleId)).toEqual([3, 0, 0]);
      expect((await stockOf(ledger(), saleId)).openReleases.map((release) => release.id).sort()).toEqual(
        [claimId(two), claimId(three)].sort(),
      );
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('counts the limit per sale', async () => {
      for (const saleId of [await openSale(ledger()), await openSale(ledger())]) {
        const [outcome] = await settle([newClaim(saleId, 1, { buyerId: 'same buyer', units: 2 })]);
        expect(outcome).toMatchObject({ kind: 'settled' });
      }
    });

    test('never sells more than the quota has', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 5 });
      const claims = Array.from({ length: 8 }, (_, index) => newClaim(saleId, index + 1));
      const outcomes = await settle(claims);
      expect(outcomes.map(({ kind, order }) => order?.refusal ?? kind)).toEqual([
        ...Array(5).fill('settled'),
        ...Array(3).fill('no_units'),
      ]);
      expect(await heldOf(saleId)).toEqual([5, 0, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('refuses who is at the limit for that, also when there are no units', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 1, limitUnits: 2 });
      await settle([newClaim(saleId, 1, { buyerId: 'greedy' })]);
      const outcomes = await settle([newClaim(saleId, 2, { buyerId: 'greedy', units: 2 }), newClaim(saleId, 3)]);
      expect(outcomes.map(({ order }) => order?.refusal)).toEqual(['over_limit', 'no_units']);
    });

    test('refuses what a lost gate claimed beyond the cut, and gives nothing back', async () => {
      const saleId = await openSale(ledger());
      const [counted, cut] = [newClaim(saleId, 1), newClaim(saleId, 2)];
      await openEpoch(ledger(), saleId, [counted]);
      const outcomes = await settle([counted, cut]);
      expect(outcomes.map(({ kind, order }) => order?.refusal ?? kind)).toEqual(['settled', 'stale_epoch']);
      expect(outcomes[1]).toMatchObject({ kind: 'refused', release: null });
      expect((await stockOf(ledger(), saleId)).openReleases).toEqual([]);
      expect((await settle([cut]))[0]).toMatchObject({ kind: 'repeated', order: { state: 'refused' } });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('takes what a sale claimed before its close', async () => {
      const saleId = await openSale(ledger());
      await ledger().sales.operate(saleId, 'close');
      expect((await settle([newClaim(saleId, 1)]))[0]).toMatchObject({ kind: 'settled' });
    });

    test('settles all of a group or none of it', async () => {
      const saleId = await openSale(ledger());
      await settle([newClaim(saleId, 1)]);
      const entries = await journalOf(ledger(), saleId);
      const clash = newClaim(saleId, 1, { orderId: `${saleId}/another`, buyerId: 'another' });
      const group = [newClaim(saleId, 2), clash, newClaim(saleId, 3)];

      expect(await faultOf(() => settle(group))).toBe('ledger_constraint');
      for (const claim of group) expect(await ledger().orders.find(claim.orderId)).toBeNull();
      expect(await journalOf(ledger(), saleId)).toEqual(entries);
      expect(await heldOf(saleId)).toEqual([1, 0, 0]);
      expect(await settle([newClaim(saleId, 2)])).toMatchObject([{ kind: 'settled' }]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('refuses orders of no units, of less and of a part of one', async () => {
      const saleId = await openSale(ledger());
      for (const units of [0, -1, 0.5]) {
        expect(await faultOf(() => settle([newClaim(saleId, 1, { units })]))).toBe('ledger_constraint');
      }
      expect(await heldOf(saleId)).toEqual([0, 0, 0]);
    });

    test('settles several sales and segments in one group, outcomes in the order given', async () => {
      const [a, b] = [await openSale(ledger()), await openSale(ledger())];
      const claims = [newClaim(b, 1), newClaim(a, 1), newClaim(b, 2), newClaim(a, 2)];
      const outcomes = await settle(claims);
      expect(outcomes.map((outcome) => outcome.claim)).toEqual(claims);
      expect(await heldOf(a)).toEqual([2, 0, 0]);
      expect(await heldOf(b)).toEqual([2, 0, 0]);
    });

    test('remembers the highest position that was settled', async () => {
      const saleId = await openSale(ledger());
      await settle([newClaim(saleId, 7), newClaim(saleId, 3)]);
      await settle([newClaim(saleId, 5)]);
      const segment = (await stockOf(ledger(), saleId)).segments.find((candidate) => candidate.segment === 0);
      expect(segment?.settledThrough).toEqual({ epoch: 1, seq: 7 });
    });

    test('takes the largest group and no larger one', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 1000 });
      const claims = Array.from({ length: MAX_CLAIMS_PER_SETTLEMENT }, (_, index) => newClaim(saleId, index + 1));
      const outcomes = await settle(claims);
      expect(outcomes.every((outcome) => outcome.kind === 'settled')).toBe(true);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      await expect(settle([...claims, newClaim(saleId, 501)])).rejects.toThrow('broken promise');
    });
  });
}
