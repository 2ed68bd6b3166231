/** What every ledger promises of claims that are put aside. */
import { describe, expect, test } from 'vitest';
import { claimId } from '../domain/order/claim.ts';
import { settleGroup } from '../funnel/ledger/settle-group.ts';
import type { Ledger } from './ledger.ts';
import { brokenLaws, journalOf, newClaim, openEpoch, openSale, quotasOf, stockOf } from './ledger-fixture.contract.ts';
import { type SetAside, unreadId } from './quarantine.ts';

export function quarantineContract(ledger: () => Ledger): void {
  const quarantinedOf = async (saleId: string) =>
    (await quotasOf(ledger(), saleId)).map((quota) => quota.quarantinedUnits);

  describe('quarantine', () => {
    test('sets the units of a claim aside, once', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1, { units: 2 });
      for (const _ of [1, 2]) await ledger().settlement.quarantine(claim, 'cannot be read');
      expect(await quarantinedOf(saleId)).toEqual([2, 0, 0]);
      expect((await journalOf(ledger(), saleId)).at(-1)).toMatchObject({
        from: 'atGate',
        to: 'quarantined',
        cause: 'quarantine',
        causeId: claimId(claim),
      });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('keeps the claim from being settled', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      await ledger().settlement.quarantine(claim, 'cannot be read');
      expect(await ledger().settlement.settle([claim])).toEqual([{ kind: 'repeated', claim, order: null }]);
      expect(await ledger().orders.find(claim.orderId)).toBeNull();
    });

    test('leaves a claim that has an order, or was released', async () => {
      const saleId = await openSale(ledger());
      const [first, second] = [newClaim(saleId, 1), newClaim(saleId, 2, { orderId: newClaim(saleId, 1).orderId })];
      await ledger().settlement.settle([first, second]);
      for (const claim of [first, second]) await ledger().settlement.quarantine(claim, 'late');
      expect(await quarantinedOf(saleId)).toEqual([0, 0, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('keeps a stale claim with no units, since no gate has them', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      await openEpoch(ledger(), saleId);
      await ledger().settlement.quarantine(claim, 'cannot be read');
      expect(await quarantinedOf(saleId)).toEqual([0, 0, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('keeps a claim of units that cannot be with no units', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 1 });
      for (const [seq, units] of [2, 0, -1, 0.5, Number.NaN].entries()) {
        const claim = newClaim(saleId, seq, { units });
        await ledger().settlement.quarantine(claim, 'cannot be read');
        expect(await ledger().settlement.settle([claim])).toMatchObject([{ kind: 'repeated', order: null }]);
      }
      expect(await quarantinedOf(saleId)).toEqual([0, 0, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('takes a claim of no segment of its own out of its group, and only that one', async () => {
      const saleId = await openSale(ledger());
      const [good, strange] = [newClaim(saleId, 1), newClaim('no-such-sale', 2)];
      await expect(ledger().settlement.settle([good, strange])).rejects.toMatchObject({ code: 'ledger_constraint' });
      expect(await settleGroup(ledger().settlement, [good, strange])).toMatchObject([
        { kind: 'settled' },
        { kind: 'quarantined', claim: strange },
      ]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('lists what was set aside, claims and what cannot be read, in pages, each once', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1, { units: 2 });
      await ledger().settlement.quarantine(claim, 'cannot be settled');
      const segment = { saleId, region: 'main', segment: 0 };
      const entries = ['1-7', '1-8'].map((id) => ({ segment, id, text: `o \u0000 "\ud83d\ude00" ${id}` }));
      for (const _ of [1, 2]) await ledger().quarantine.keep(entries);
      await ledger().quarantine.keep([]);

      const listed: SetAside[] = [];
      for (let after: string | null = null; ; ) {
        const page: readonly SetAside[] = await ledger().quarantine.list(after, 1);
        listed.push(...page);
        after = page.at(-1)?.id ?? null;
        if (after === null) break;
      }
      const own = listed.filter((each) => each.saleId === saleId);
      expect(own).toHaveLength(3);
      expect(own.find(({ what }) => what.kind === 'claim')).toEqual({
        ...{ id: claimId(claim), saleId, units: 2, reason: 'cannot be settled', what: { kind: 'claim', claim } },
      });
      const unread = own.filter(({ what }) => what.kind === 'unread');
      expect(unread.map(({ what }) => what.kind === 'unread' && what.entry)).toEqual(entries);
      expect(unread).toMatchObject([{ units: 0 }, { units: 0 }]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('settles a claim after all, once, and its units are its order’s', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1, { units: 2 });
      await ledger().settlement.quarantine(claim, 'by hand');
      const order = { orderId: claim.orderId, state: 'pending', units: 2 };
      expect(await ledger().quarantine.replay(claimId(claim))).toMatchObject({ kind: 'settled', order, release: null });
      expect(await quarantinedOf(saleId)).toEqual([0, 0, 0]);
      expect((await quotasOf(ledger(), saleId)).map((quota) => quota.heldUnits)).toEqual([2, 0, 0]);
      expect(await ledger().quarantine.replay(claimId(claim))).toBeNull();
      expect(await ledger().quarantine.find(claimId(claim))).toBeNull();
      expect(await ledger().settlement.settle([claim])).toMatchObject([{ kind: 'repeated', order }]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('leaves a claim where it is while the laws refuse it', async () => {
      const claim = newClaim('never-such-a-sale', 1);
      await ledger().settlement.quarantine(claim, 'unknown sale');
      const replaying = ledger().quarantine.replay(claimId(claim));
      await expect(replaying).rejects.toMatchObject({ code: 'ledger_constraint' });
      expect(await ledger().quarantine.find(claimId(claim))).toMatchObject({ what: { kind: 'claim', claim } });
    });

    test('drops a claim, once: its order is refused, its units go back by its release, its buyer may buy', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1, { units: 2 });
      await ledger().settlement.quarantine(claim, 'by hand');
      expect(await ledger().quarantine.drop(claimId(claim))).toMatchObject({
        kind: 'dropped',
        outcome: {
          ...{ kind: 'refused', order: { state: 'refused', refusal: 'dropped' } },
          release: { id: claimId(claim), units: 2, destination: 'quota' },
        },
      });
      expect(await quarantinedOf(saleId)).toEqual([0, 0, 0]);
      expect((await stockOf(ledger(), saleId, [])).openReleases).toMatchObject([{ id: claimId(claim) }]);
      expect(await ledger().quarantine.drop(claimId(claim))).toEqual({ kind: 'absent' });
      expect(await ledger().settlement.settle([claim])).toMatchObject([{ kind: 'repeated' }]);
      const again = newClaim(saleId, 2, { buyerId: claim.buyerId, units: 2 });
      expect(await ledger().settlement.settle([again])).toMatchObject([{ kind: 'settled' }]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('drops a stale claim without a release, since no gate has its units', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      await openEpoch(ledger(), saleId);
      await ledger().settlement.quarantine(claim, 'by hand');
      const refused = { kind: 'refused', order: { refusal: 'dropped' }, release: null };
      expect(await ledger().quarantine.drop(claimId(claim))).toMatchObject({ kind: 'dropped', outcome: refused });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('forgets what no gate of its could have claimed, and entries', async () => {
      const saleId = await openSale(ledger());
      const [strange, none] = [newClaim('not-any-sale', 1), newClaim(saleId, 1, { units: 0 })];
      const entry = { segment: { saleId, region: 'main', segment: 0 }, id: '1-9', text: 'what' };
      for (const claim of [strange, none]) await ledger().settlement.quarantine(claim, 'by hand');
      await ledger().quarantine.keep([entry]);
      for (const id of [claimId(strange), claimId(none), unreadId(entry)]) {
        expect(await ledger().quarantine.find(id)).toMatchObject({ id });
        expect(await ledger().quarantine.drop(id)).toEqual({ kind: 'dropped', outcome: null });
        expect(await ledger().quarantine.drop(id)).toEqual({ kind: 'absent' });
      }
      expect(await ledger().orders.find(none.orderId)).toBeNull();
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('is taken out by one of many who try at once', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1, { units: 2 });
      await ledger().settlement.quarantine(claim, 'by hand');
      const tries = Array.from({ length: 6 }, async (_, at) =>
        at % 2 === 0
          ? (await ledger().quarantine.replay(claimId(claim))) !== null
          : (await ledger().quarantine.drop(claimId(claim))).kind === 'dropped',
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      expect(await quarantinedOf(saleId)).toEqual([0, 0, 0]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('keeps a claim whose sale does not exist', async () => {
      const claim = newClaim('no-such-sale', 1);
      await ledger().settlement.quarantine(claim, 'unknown sale');
      const saleId = await openSale(ledger());
      expect((await stockOf(ledger(), saleId, [claim])).knownClaimIds).toEqual(new Set([claimId(claim)]));
    });
  });
}
