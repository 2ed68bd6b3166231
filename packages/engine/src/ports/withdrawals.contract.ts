/** What every ledger promises of stock that is withdrawn: all that was asked for or none, once for each delivery. */
import { describe, expect, test } from 'vitest';
import type { Ledger } from './ledger.ts';
import { brokenLaws, journalOf, newClaim, openSale, quotaKey, stockOf } from './ledger-fixture.contract.ts';

export function withdrawalsContract(ledger: () => Ledger): void {
  let attempts = 0;
  const open = (saleId: string, units: number, delivery = 'van-1') => {
    attempts += 1;
    const id = `${saleId}/attempt-${attempts}`;
    return ledger().inventoryCentre.openWithdrawal({ id, saleId, delivery, units });
  };

  /** A sale of 10 units, all at the gate, and `free` more at the centre. */
  async function saleWithFree(free: number): Promise<string> {
    const saleId = await openSale(ledger(), { totalUnits: 10 });
    if (free > 0) await ledger().inventoryCentre.receiveStock(saleId, { id: 'truck-1', units: free });
    return saleId;
  }

  async function bringBack(saleId: string, units: number): Promise<void> {
    attempts += 1;
    const moveId = `${saleId}/back-${attempts}`;
    await ledger().inventoryCentre.issueReturn({ moveId, quota: quotaKey(saleId), units });
    await ledger().inventoryCentre.finishReturn(moveId, units);
  }

  const centreOf = async (saleId: string) => (await stockOf(ledger(), saleId)).centre;

  describe('withdrawals', () => {
    test('take what is free out of the total, once however often they are told (K04)', async () => {
      const saleId = await saleWithFree(5);
      const centre = { totalUnits: 12, freeUnits: 2, allottedUnits: 10 };
      const answers = await Promise.all(Array.from({ length: 5 }, () => open(saleId, 3)));
      expect(answers.map((answer) => answer.kind).sort()).toEqual([...Array(4).fill('repeated'), 'withdrawn']);
      expect(await open(saleId, 3)).toEqual({ kind: 'repeated', centre });
      expect(await open(saleId, 2)).toEqual({ kind: 'content_differs', centre });
      expect((await journalOf(ledger(), saleId)).at(-1)).toMatchObject({
        ...{ from: 'free', to: 'outside', units: 3, cause: 'stock', causeId: 'van-1' },
      });
      expect((await ledger().sales.find(saleId))?.totalUnits).toBe(12);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('share their ids with deliveries: one id is one change', async () => {
      const saleId = await saleWithFree(5);
      expect(await open(saleId, 5, 'truck-1')).toMatchObject({ kind: 'content_differs' });
      await open(saleId, 1);
      for (const units of [1, 2]) {
        const change = { id: 'van-1', units };
        expect(await ledger().inventoryCentre.receiveStock(saleId, change)).toMatchObject({ kind: 'content_differs' });
      }
    });

    test('wait for units that can come back, and keep what is free in the meantime', async () => {
      const saleId = await saleWithFree(2);
      const first = await open(saleId, 6);
      expect(first).toMatchObject({ kind: 'open', withdrawal: { units: 6, state: 'open' } });
      if (first.kind !== 'open') return;
      // Told again by somebody else: the same one.
      expect(await open(saleId, 6)).toEqual(first);
      expect((await stockOf(ledger(), saleId)).openWithdrawals).toEqual([first.withdrawal]);
      const out = { moveId: `${saleId}/out`, quota: quotaKey(saleId), units: 1 };
      expect(await ledger().inventoryCentre.allot(out)).toEqual({ kind: 'refused', reason: 'withdrawing' });

      await bringBack(saleId, 4);
      const centre = { totalUnits: 6, freeUnits: 0, allottedUnits: 6 };
      const { id } = first.withdrawal;
      expect(await ledger().inventoryCentre.closeWithdrawal(id)).toEqual({ kind: 'withdrawn', centre });
      expect(await ledger().inventoryCentre.closeWithdrawal(id)).toEqual({ kind: 'repeated', centre });
      expect((await stockOf(ledger(), saleId)).openWithdrawals).toEqual([]);
      expect(await ledger().inventoryCentre.allot(out)).toMatchObject({ reason: 'centre_empty' });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('are refused whole when buyers were faster, and what came back can go out again', async () => {
      const saleId = await saleWithFree(0);
      const opened = await open(saleId, 6);
      if (opened.kind !== 'open') throw new Error(opened.kind);
      const { id } = opened.withdrawal;
      await ledger().inventoryCentre.issueReturn({ moveId: `${saleId}/slow`, quota: quotaKey(saleId), units: 6 });
      expect(await ledger().inventoryCentre.closeWithdrawal(id)).toMatchObject({ kind: 'open' });
      await ledger().inventoryCentre.finishReturn(`${saleId}/slow`, 5);
      expect(await ledger().inventoryCentre.closeWithdrawal(id)).toMatchObject({ kind: 'refused' });
      expect(await centreOf(saleId)).toEqual({ totalUnits: 10, freeUnits: 5, allottedUnits: 5 });
      const out = { moveId: `${saleId}/again`, quota: quotaKey(saleId), units: 5 };
      expect(await ledger().inventoryCentre.allot(out)).toMatchObject({ kind: 'allotted', move: { units: 5 } });
      // A call of the refused attempt that comes late opens nothing; a new attempt may.
      expect(await ledger().inventoryCentre.openWithdrawal({ id, saleId, delivery: 'van-1', units: 6 })).toMatchObject({
        kind: 'refused',
      });
      expect(await open(saleId, 6)).toMatchObject({ kind: 'open' });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('of more than no order has are refused at once', async () => {
      const saleId = await saleWithFree(1);
      await ledger().settlement.settle([newClaim(saleId, 1, { units: 2 })]);
      expect(await open(saleId, 10)).toMatchObject({ kind: 'refused', centre: { totalUnits: 11 } });
      expect(await open(saleId, 9)).toMatchObject({ kind: 'open' });
    });

    test('are of a sale that is there and not closed', async () => {
      const saleId = await saleWithFree(5);
      await ledger().sales.operate(saleId, 'close');
      expect(await open(saleId, 1)).toMatchObject({ kind: 'wrong_state' });
      expect(await open('no-such-sale', 1)).toEqual({ kind: 'absent' });
      expect(await ledger().inventoryCentre.closeWithdrawal('no-such-attempt')).toEqual({ kind: 'absent' });
    });

    test('are unknown to a delivery that is new: stock received makes the generation rise, stock withdrawn does not', async () => {
      const saleId = await saleWithFree(0);
      const generation = async () => (await stockOf(ledger(), saleId)).generation;
      const before = await generation();
      await ledger().inventoryCentre.receiveStock(saleId, { id: 'truck-1', units: 5 });
      const received = await generation();
      expect(received).toBeGreaterThan(before);
      await open(saleId, 5);
      expect(await generation()).toBe(received);
    });
  });
}
