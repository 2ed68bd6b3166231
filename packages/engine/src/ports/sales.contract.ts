/** What every ledger promises of its sales. */
import { describe, expect, test } from 'vitest';
import type { Ledger } from './ledger.ts';
import {
  brokenLaws,
  faultOf,
  journalOf,
  newDraft,
  openSale,
  QUOTAS,
  quotaKey,
  stockOf,
} from './ledger-fixture.contract.ts';

export function salesContract(ledger: () => Ledger): void {
  describe('sales', () => {
    test('creates a draft with all its units free', async () => {
      const draft = newDraft();
      const sale = { ...draft, state: 'draft', version: 1 };
      expect(await ledger().sales.create(draft, QUOTAS)).toEqual({ kind: 'created', sale });
      expect(await ledger().sales.find(draft.id)).toEqual(sale);

      const stock = await stockOf(ledger(), draft.id);
      expect(stock.centre).toEqual({ totalUnits: 100, freeUnits: 100, allottedUnits: 0 });
      expect(stock.quotas).toHaveLength(QUOTAS.length);
      expect(stock.quotas).toContainEqual({
        ...quotaKey(draft.id),
        allottedUnits: 0,
        heldUnits: 0,
        soldUnits: 0,
        quarantinedUnits: 0,
      });
      expect(stock.segments.map(({ segment, epoch, cuts }) => ({ segment, epoch, cuts }))).toEqual([
        { segment: 0, epoch: 0, cuts: [] },
        { segment: 1, epoch: 0, cuts: [] },
      ]);
      expect(await brokenLaws(ledger(), draft.id)).toEqual([]);
    });

    test('tells in the journal where the stock came from', async () => {
      const draft = newDraft();
      await ledger().sales.create(draft, QUOTAS);
      expect(await journalOf(ledger(), draft.id)).toEqual([
        { saleId: draft.id, quota: null, from: 'outside', to: 'free', units: 100, cause: 'stock', causeId: draft.id },
      ]);
    });

    test('leaves a sale that exists as it is', async () => {
      const draft = newDraft();
      await ledger().sales.create(draft, QUOTAS);
      const again = await ledger().sales.create({ ...draft, totalUnits: 7, title: 'other' }, []);
      expect(again).toEqual({ kind: 'exists', sale: { ...draft, state: 'draft', version: 1 } });
      expect((await stockOf(ledger(), draft.id)).centre.totalUnits).toBe(100);
      expect(await journalOf(ledger(), draft.id)).toHaveLength(1);
    });

    test('creates once when asked many times at once', async () => {
      const draft = newDraft();
      const results = await Promise.all(Array.from({ length: 8 }, () => ledger().sales.create(draft, QUOTAS)));
      expect(results.filter((result) => result.kind === 'created')).toHaveLength(1);
      expect(await brokenLaws(ledger(), draft.id)).toEqual([]);
    });

    test('creates nothing when a part of it is refused', async () => {
      const draft = newDraft();
      const twice = [...QUOTAS, ...QUOTAS];
      expect(await faultOf(() => ledger().sales.create(draft, twice))).toBe('ledger_constraint');
      expect(await ledger().sales.find(draft.id)).toBeNull();
      expect(await journalOf(ledger(), draft.id)).toEqual([]);
    });

    test('knows a stock of no units', async () => {
      const draft = newDraft({ totalUnits: 0 });
      await ledger().sales.create(draft, QUOTAS);
      expect(await brokenLaws(ledger(), draft.id)).toEqual([]);
    });

    test('keeps a stock as large as a number can count exactly', async () => {
      const draft = newDraft({ totalUnits: Number.MAX_SAFE_INTEGER });
      await ledger().sales.create(draft, QUOTAS);
      await ledger().inventoryCentre.allot({ moveId: `${draft.id}/m`, quota: quotaKey(draft.id), units: 1 });
      const { centre } = await stockOf(ledger(), draft.id);
      expect(centre.freeUnits).toBe(Number.MAX_SAFE_INTEGER - 1);
      expect(await brokenLaws(ledger(), draft.id)).toEqual([]);
    });

    test('finds nothing where there is none', async () => {
      expect(await ledger().sales.find('no-such-sale')).toBeNull();
      expect(await ledger().sales.operate('no-such-sale', 'publish')).toEqual({ kind: 'absent' });
    });

    test('lists sales by id', async () => {
      const ids = [newDraft(), newDraft({ id: 'a-sale' }), newDraft()];
      for (const draft of ids) await ledger().sales.create(draft, QUOTAS);
      const listed = (await ledger().sales.list()).map((sale) => sale.id);
      expect(listed).toEqual([...listed].sort());
      expect(listed).toEqual(expect.arrayContaining(ids.map((draft) => draft.id)));
    });

    test('changes state along the edges only, and counts its versions', async () => {
      const draft = newDraft();
      await ledger().sales.create(draft, QUOTAS);
      const live = { ...draft, state: 'live', version: 2 };
      expect(await ledger().sales.operate(draft.id, 'resume')).toMatchObject({ kind: 'wrong_state' });
      expect(await ledger().sales.operate(draft.id, 'publish')).toEqual({ kind: 'changed', sale: live });
      expect(await ledger().sales.operate(draft.id, 'publish')).toEqual({ kind: 'repeated', sale: live });
      const gates = { confirmed: [], queuedClaims: 0, unsettledClaims: 0 };
      expect(await ledger().sales.settle(draft.id, gates)).toEqual({ kind: 'wrong_state', sale: live });
      expect(await ledger().sales.find(draft.id)).toEqual(live);
    });

    test('lets one of many take an edge', async () => {
      const draft = newDraft();
      await ledger().sales.create(draft, QUOTAS);
      const results = await Promise.all(Array.from({ length: 8 }, () => ledger().sales.operate(draft.id, 'publish')));
      expect(results.filter((result) => result.kind === 'changed')).toHaveLength(1);
    });

    test('takes a change of a version that is still current, and no other (K04)', async () => {
      const draft = newDraft();
      await ledger().sales.create(draft, QUOTAS);
      const patched = { ...draft, state: 'draft', version: 2, title: 'Another title', endsAtMs: draft.endsAtMs + 1 };
      const patch = { title: patched.title, endsAtMs: patched.endsAtMs };
      expect(await ledger().sales.patch(draft.id, 1, patch)).toEqual({ kind: 'patched', sale: patched });
      expect(await ledger().sales.patch(draft.id, 1, { holdMs: 1 })).toEqual({ kind: 'stale_version', sale: patched });
      const backwards = { startsAtMs: draft.endsAtMs + 2 };
      expect(await ledger().sales.patch(draft.id, 2, backwards)).toEqual({ kind: 'bad_window', sale: patched });
      expect(await ledger().sales.find(draft.id)).toEqual(patched);
      expect(await ledger().sales.patch('no-such-sale', 1, patch)).toEqual({ kind: 'absent' });
    });

    test('takes one of many changes of the same version', async () => {
      const draft = newDraft();
      await ledger().sales.create(draft, QUOTAS);
      const titles = Array.from({ length: 8 }, (_, index) => ledger().sales.patch(draft.id, 1, { title: `${index}` }));
      const kinds = (await Promise.all(titles)).map((result) => result.kind);
      expect(kinds.filter((kind) => kind === 'patched')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'stale_version')).toHaveLength(7);
    });

    test('receives stock once for each delivery, free at the centre', async () => {
      const saleId = await openSale(ledger(), { totalUnits: 10 });
      const receive = (id: string, units: number) => ledger().inventoryCentre.receiveStock(saleId, { id, units });
      const centre = { totalUnits: 60, freeUnits: 50, allottedUnits: 10 };
      const results = await Promise.all(Array.from({ length: 5 }, () => receive('truck-1', 50)));
      expect(results.map((result) => result.kind).sort()).toEqual(
        [...Array(4).fill('repeated')].concat('received').sort(),
      );
      expect(await receive('truck-1', 50)).toEqual({ kind: 'repeated', centre });
      expect(await receive('truck-1', 51)).toEqual({ kind: 'content_differs', centre });
      expect(await receive('truck-2', Number.MAX_SAFE_INTEGER)).toEqual({ kind: 'too_many', centre });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      await ledger().sales.operate(saleId, 'close');
      expect(await receive('truck-2', 1)).toEqual({ kind: 'wrong_state', centre });
      expect(await ledger().inventoryCentre.receiveStock('no-such-sale', { id: 'x', units: 1 })).toEqual({
        kind: 'absent',
      });
    });
  });
}
