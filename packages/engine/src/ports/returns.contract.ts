/** What every ledger promises of units that go back to the centre: by returns, by releases of a closed sale, for good. */
import { describe, expect, test } from 'vitest';
import { BEFORE_ALL, claimId } from '../domain/order/claim.ts';
import type { Ledger } from './ledger.ts';
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
  stockOf,
} from './ledger-fixture.contract.ts';

export function returnsContract(ledger: () => Ledger): void {
  const issue = (saleId: string, id = 'back', units: number | null = null) =>
    ledger().inventoryCentre.issueReturn({ moveId: `${saleId}/${id}`, quota: quotaKey(saleId), units });
  const finish = (saleId: string, units: number, id = 'back') =>
    ledger().inventoryCentre.finishReturn(`${saleId}/${id}`, units);
  const movements = async (saleId: string, after: number) =>
    (await journalOf(ledger(), saleId)).slice(after).map(({ from, to, units }) => [from, to, units]);

  /** One order of `units` units, paid or not, in a sale of 10 whose first quota has them all. */
  async function saleWithOrder(units: number, isPaid: boolean): Promise<{ saleId: string; orderId: string }> {
    const saleId = await openSale(ledger(), { totalUnits: 10, limitUnits: 5, holdMs: 0 });
    const claim = newClaim(saleId, 1, { units, buyerId: `buyer-of-${saleId}` });
    await ledger().settlement.settle([claim]);
    if (isPaid) await pay(claim.orderId, 'paid');
    return { saleId, orderId: claim.orderId };
  }

  const pay = (orderId: string, outcome: 'paid' | 'refunded') =>
    ledger().orders.notePayment({ orderId, reference: `${orderId}/1`, outcome, amount: null });

  describe('returns', () => {
    test('move nothing until they are finished; then units are free, once, and the generation rises (P13)', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10 });
      const before = await stockOf(ledger(), saleId);
      const entries = (await journalOf(ledger(), saleId)).length;
      const move = { id: `${saleId}/back`, quota: quotaKey(saleId), units: 4, epoch: 1, onwardTo: null };
      expect(await issue(saleId, 'back', 4)).toEqual({ kind: 'issued', move });
      const issued = await stockOf(ledger(), saleId);
      expect(issued).toEqual({ ...before, openReturns: [move] });

      await finish(saleId, 3);
      for (const units of [3, 4]) await finish(saleId, units);
      const after = await stockOf(ledger(), saleId);
      expect(after.centre).toEqual({ totalUnits: 10, freeUnits: 3, allottedUnits: 7 });
      expect(after.openReturns).toEqual([]);
      expect(after.generation).toBeGreaterThan(before.generation);
      expect(await movements(saleId, entries)).toEqual([['atGate', 'free', 3]]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      expect(await issue(saleId, 'back', 4)).toEqual({ kind: 'issued', move });
      expect((await stockOf(ledger(), saleId)).openReturns).toEqual([]);
    });

    test('that bring nothing leave no entry, and the generation as it was', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10 });
      const before = await stockOf(ledger(), saleId);
      await issue(saleId);
      await finish(saleId, 0);
      expect(await stockOf(ledger(), saleId)).toEqual(before);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('are void once an epoch has opened: what they debited is in the load, and a late finish changes nothing', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10 });
      await issue(saleId);
      await openEpoch(ledger(), saleId);
      const after = await stockOf(ledger(), saleId);
      expect(after.openReturns).toEqual([]);
      expect(after.centre.allottedUnits).toBe(10);
      await finish(saleId, 10);
      expect(await stockOf(ledger(), saleId)).toEqual(after);
      expect(await issue(saleId)).toMatchObject({ kind: 'issued', move: { epoch: 1 } });
      expect((await stockOf(ledger(), saleId)).openReturns).toEqual([]);
    });

    test('bring no more than is wanted, and nothing that an order has', async () => {
      const { saleId } = await saleWithOrder(3, false);
      await issue(saleId, 'small', 2);
      await issue(saleId, 'all');
      const before = await stockOf(ledger(), saleId);
      expect(await faultOf(() => finish(saleId, 3, 'small'))).toBe('ledger_constraint');
      expect(await faultOf(() => finish(saleId, 8, 'all'))).toBe('ledger_constraint');
      expect(await stockOf(ledger(), saleId)).toEqual(before);
      await finish(saleId, 7, 'all');
      expect((await stockOf(ledger(), saleId)).centre).toMatchObject({ freeUnits: 7, allottedUnits: 3 });
    });
  });

  describe('returns that go on', () => {
    const START = { totalUnits: 10 };
    /** Wanted by the quota of the next segment. */
    const issueOnward = (saleId: string, id = 'on') =>
      ledger().inventoryCentre.issueReturn({
        moveId: `${saleId}/${id}`,
        quota: quotaKey(saleId),
        units: 4,
        onwardTo: 1,
      });
    const onward = (saleId: string) => ({
      ...{ id: `${saleId}/on>`, quota: quotaKey(saleId, 2), units: 3, epoch: 0 },
    });

    test('bring their units to another quota in one step, by a move that a repeat tells again', async () => {
      const saleId = await openSale(ledger(), START);
      expect(await issueOnward(saleId)).toMatchObject({ kind: 'issued', move: { onwardTo: 1 } });
      const before = await stockOf(ledger(), saleId);
      expect(before.openReturns).toMatchObject([{ onwardTo: 1 }]);
      const entries = (await journalOf(ledger(), saleId)).length;
      expect(await finish(saleId, 3, 'on')).toEqual(onward(saleId));
      expect(await finish(saleId, 3, 'on')).toEqual(onward(saleId));
      const after = await stockOf(ledger(), saleId);
      expect(after.centre).toEqual({ totalUnits: 10, freeUnits: 0, allottedUnits: 10 });
      expect(after.openMoves).toEqual([onward(saleId)]);
      expect(after.openReturns).toEqual([]);
      expect(after.generation).toBeGreaterThan(before.generation);
      expect(await movements(saleId, entries)).toEqual([
        ['atGate', 'free', 3],
        ['free', 'inTransit', 3],
      ]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('send nothing on when they bring nothing', async () => {
      const saleId = await openSale(ledger(), START);
      await issueOnward(saleId);
      expect(await finish(saleId, 0, 'on')).toBeNull();
      expect((await stockOf(ledger(), saleId)).openMoves).toEqual([]);
    });

    test('leave their units at the centre of a sale that was closed, or while units are withdrawn', async () => {
      const closed = await openSale(ledger(), START);
      await issueOnward(closed);
      await ledger().sales.operate(closed, 'close');
      expect(await finish(closed, 3, 'on')).toBeNull();
      expect((await stockOf(ledger(), closed)).centre).toMatchObject({ freeUnits: 3 });

      const withdrawing = await openSale(ledger(), START);
      await issueOnward(withdrawing);
      const request = { id: `${withdrawing}/w`, saleId: withdrawing, delivery: 'back', units: 5 };
      expect(await ledger().inventoryCentre.openWithdrawal(request)).toMatchObject({ kind: 'open' });
      expect(await finish(withdrawing, 3, 'on')).toBeNull();
      expect((await stockOf(ledger(), withdrawing)).centre).toMatchObject({ freeUnits: 3 });
    });

    test('move nothing once an epoch has opened where they come from', async () => {
      const saleId = await openSale(ledger(), START);
      await issueOnward(saleId);
      await openEpoch(ledger(), saleId);
      expect(await finish(saleId, 3, 'on')).toBeNull();
      expect(await stockOf(ledger(), saleId)).toMatchObject({ openMoves: [], centre: { freeUnits: 0 } });
    });
  });

  describe('a closed sale', () => {
    test('sends nothing out', async () => {
      const draft = newDraft({ totalUnits: 10 });
      await ledger().sales.create(draft, QUOTAS);
      await ledger().sales.operate(draft.id, 'close');
      const request = { moveId: `${draft.id}/m`, quota: quotaKey(draft.id), units: 1 };
      expect(await ledger().inventoryCentre.allot(request)).toEqual({ kind: 'refused', reason: 'sale_closed' });
    });

    test('P12: gives what an order had to the centre, in the transaction that ends it; the gate gets no units', async () => {
      const { saleId, orderId } = await saleWithOrder(3, false);
      await ledger().sales.operate(saleId, 'close');
      const entries = (await journalOf(ledger(), saleId)).length;
      const { release } = await ledger().orders.cancel(orderId, null);
      expect(release).toMatchObject({ destination: 'centre', units: 3, epoch: 1 });
      const after = await stockOf(ledger(), saleId);
      expect(after.centre).toEqual({ totalUnits: 10, freeUnits: 3, allottedUnits: 7 });
      expect(after.openReleases).toEqual([release]);
      expect(await movements(saleId, entries)).toEqual([['held', 'free', 3]]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      for (const _ of [1, 2]) await ledger().inventoryCentre.finishRelease(release?.id ?? '');
      expect(await movements(saleId, entries)).toEqual([['held', 'free', 3]]);
      expect((await stockOf(ledger(), saleId)).openReleases).toEqual([]);
    });

    test('P12: a release that was written before the close still goes to the gate', async () => {
      const { saleId, orderId } = await saleWithOrder(3, false);
      await ledger().orders.cancel(orderId, null);
      await ledger().sales.operate(saleId, 'close');
      const stock = await stockOf(ledger(), saleId);
      expect(stock.openReleases).toMatchObject([{ destination: 'quota' }]);
      expect(stock.centre.freeUnits).toBe(0);
    });

    test('frees what a second claim took; a rebuild absorbs its release without a move', async () => {
      const { saleId, orderId } = await saleWithOrder(3, true);
      await ledger().sales.operate(saleId, 'close');
      const second = newClaim(saleId, 2, { orderId, units: 2 });
      const [outcome] = await ledger().settlement.settle([second]);
      expect(outcome).toMatchObject({ kind: 'second_claim', release: { destination: 'centre', id: claimId(second) } });
      expect((await stockOf(ledger(), saleId)).centre).toMatchObject({ freeUnits: 2, allottedUnits: 8 });
      const entries = await journalOf(ledger(), saleId);
      await openEpoch(ledger(), saleId);
      expect(await journalOf(ledger(), saleId)).toEqual(entries);
      expect((await stockOf(ledger(), saleId)).openReleases).toEqual([]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('sends a claim beyond what its quota has back where it came from', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 1, limitUnits: 5 });
      await ledger().sales.operate(saleId, 'close');
      const [outcome] = await ledger().settlement.settle([newClaim(saleId, 1, { units: 2 })]);
      expect(outcome).toMatchObject({ kind: 'refused', release: { destination: 'quota' } });
      expect((await stockOf(ledger(), saleId)).centre.freeUnits).toBe(0);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('looks for no units for late money: it is due back at once', async () => {
      const { saleId, orderId } = await saleWithOrder(3, false);
      await ledger().orders.cancel(orderId, null);
      await ledger().sales.operate(saleId, 'close');
      const late = await pay(orderId, 'paid');
      expect(late).toMatchObject({ payment: { state: 'refund_due' }, order: { state: 'paid_unfulfilled' } });
      expect(await ledger().orders.listReclaiming(10)).toEqual([]);
    });
  });

  describe('settling', () => {
    const gatesAt = (saleId: string, epochs: readonly number[]) => ({
      confirmed: epochs.map((epoch, segment) => ({ saleId, region: 'main', segment, epoch })),
      ...{ queuedClaims: 0, unsettledClaims: 0 },
    });

    /** Closed, one order of 3 units paid, all else returned: nothing is open. */
    async function atRest(): Promise<{ saleId: string; orderId: string }> {
      const { saleId, orderId } = await saleWithOrder(3, true);
      await ledger().sales.operate(saleId, 'close');
      await issue(saleId);
      await finish(saleId, 7);
      return { saleId, orderId };
    }

    test('P17: a closed sale with nothing open is settled, once', async () => {
      const { saleId } = await atRest();
      const sale = await ledger().sales.find(saleId);
      const settled = { ...sale, state: 'settled', version: (sale?.version ?? 0) + 1 };
      expect(await ledger().sales.settle(saleId, gatesAt(saleId, [1, 0]))).toEqual({ kind: 'changed', sale: settled });
      expect(await ledger().sales.settle(saleId, gatesAt(saleId, []))).toEqual({ kind: 'repeated', sale: settled });
      expect(await ledger().sales.settle('no-such-sale', gatesAt('no-such-sale', []))).toEqual({ kind: 'absent' });
    });

    test('P17: is refused while anything is open, and says what', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10, limitUnits: 5, holdMs: 0 });
      const openOf = async (epochs = [1, 0]) => {
        const result = await ledger().sales.settle(saleId, gatesAt(saleId, epochs));
        return result.kind === 'still_open' ? result.open : result.kind;
      };
      const [held, late] = [newClaim(saleId, 1, { units: 2 }), newClaim(saleId, 2, { units: 2 })];
      await ledger().settlement.settle([held, late]);
      await ledger().orders.cancel(late.orderId, null);
      await pay(late.orderId, 'paid');
      await ledger().inventoryCentre.issueReturn({
        moveId: `${saleId}/none`,
        quota: quotaKey(saleId, 1),
        units: null,
      });
      expect(await openOf()).toBe('wrong_state');
      await ledger().sales.operate(saleId, 'close');
      expect(await openOf([0, 0])).toEqual({
        ...{ unconfirmedGates: 1, unpaidOrders: 1, latePayments: 1, openReturns: 1, openReleases: 1 },
        // What is on its way to the gate has not come back from it either, and is in transit in the journal.
        ...{ unreturnedUnits: 8, unbalancedUnits: 2 },
      });
      for (const { payment } of await ledger().orders.listReclaiming(100)) await ledger().orders.giveUpReclaim(payment);
      await ledger().inventoryCentre.finishRelease(claimId(late));
      await ledger().inventoryCentre.finishReturn(`${saleId}/none`, 0);
      await ledger().orders.cancel(held.orderId, null);
      await ledger().inventoryCentre.finishRelease(claimId(held));
      expect(await openOf()).toEqual({ unreturnedUnits: 8 });
      await ledger().settlement.quarantine(newClaim(saleId, 3), 'odd');
      await issue(saleId);
      await finish(saleId, 7);
      expect(await openOf()).toEqual({ quarantinedUnits: 1 });
      expect((await ledger().sales.find(saleId))?.state).toBe('closed');
    });

    test('P17: is undone by an epoch that opens before it, and lets none open after it', async () => {
      const { saleId } = await atRest();
      await openEpoch(ledger(), saleId);
      expect(await ledger().sales.settle(saleId, gatesAt(saleId, [1, 0]))).toMatchObject({
        kind: 'still_open',
        open: { unconfirmedGates: 1 },
      });
      await ledger().sales.settle(saleId, gatesAt(saleId, [2, 0]));
      const segment = { saleId, region: 'main', segment: 0 };
      const request = { segment, fromEpoch: 2, cutThrough: BEFORE_ALL, queued: [] };
      expect(await ledger().inventoryCentre.openEpoch(request)).toEqual({ kind: 'settled' });
      expect((await stockOf(ledger(), saleId)).segments).toMatchObject([{ epoch: 2 }, { epoch: 0 }]);
    });

    test('P17: nothing moves afterwards', async () => {
      const { saleId } = await atRest();
      await ledger().sales.settle(saleId, gatesAt(saleId, [1, 0]));
      const before = await stockOf(ledger(), saleId);
      const { inventoryCentre, sales, settlement } = ledger();
      const out = { moveId: `${saleId}/out`, quota: quotaKey(saleId), units: 1 };
      expect(await inventoryCentre.allot(out)).toMatchObject({ kind: 'refused' });
      expect(await issue(saleId, 'late')).toEqual({ kind: 'refused', reason: 'sale_settled' });
      expect(await inventoryCentre.receiveStock(saleId, { id: 'x', units: 1 })).toMatchObject({ kind: 'wrong_state' });
      const withdrawal = { id: `${saleId}/w`, saleId, delivery: 'y', units: 1 };
      expect(await inventoryCentre.openWithdrawal(withdrawal)).toMatchObject({ kind: 'wrong_state' });
      for (const operation of ['publish', 'pause', 'resume', 'close'] as const) {
        expect(await sales.operate(saleId, operation)).toMatchObject({ kind: 'wrong_state' });
      }
      await finish(saleId, 1);
      const stray = newClaim(saleId, 9);
      expect((await settlement.settle([stray]))[0]).toMatchObject({
        kind: 'refused',
        release: null,
        order: { refusal: 'sale_ended' },
      });
      const after = await stockOf(ledger(), saleId);
      expect({ ...after, segments: [] }).toEqual({ ...before, segments: [] });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('money that comes afterwards finds its way back, and what is refunded is free in the books only', async () => {
      const { saleId, orderId } = await atRest();
      await ledger().sales.settle(saleId, gatesAt(saleId, [1, 0]));
      const refund = await pay(orderId, 'refunded');
      expect(refund).toMatchObject({ kind: 'taken', order: { state: 'refunded' }, release: null });
      const stock = await stockOf(ledger(), saleId);
      expect(stock.centre).toEqual({ totalUnits: 10, freeUnits: 10, allottedUnits: 0 });
      expect(stock.openReleases).toEqual([]);
      expect((await quotasOf(ledger(), saleId))[0]).toMatchObject({ allottedUnits: 0, soldUnits: 0 });
      expect((await movements(saleId, 0)).at(-1)).toEqual(['sold', 'free', 3]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });
  });
}
