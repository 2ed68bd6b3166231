/** What every ledger promises of sales that share one purchase limit. */
import { describe, expect, test } from 'vitest';
import { MAX_SALES_PER_GROUP } from '../domain/sale/limit-scope.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { Ledger } from './ledger.ts';
import {
  brokenLaws,
  type ClaimChanges,
  newClaim,
  newDraft,
  openSale,
  QUOTAS,
  quotasOf,
} from './ledger-fixture.contract.ts';

let lastGroupNumber = 0;

export function newGroup(): string {
  lastGroupNumber += 1;
  return `skins-${lastGroupNumber}`;
}

export function limitGroupsContract(ledger: () => Ledger): void {
  const settle = (...claims: ReturnType<typeof newClaim>[]) => ledger().settlement.settle(claims);
  const claimOf = (saleId: string, seq: number, changes: ClaimChanges = {}) =>
    newClaim(saleId, seq, { buyerId: 'ann', ...changes });
  /** Live sales of a group of their own; the limit is 1. */
  const openGroup = async (count: number, changes: Partial<SaleDraft> = {}) => {
    const limitGroup = newGroup();
    const saleIds: string[] = [];
    for (let each = 0; each < count; each++) {
      saleIds.push(await openSale(ledger(), { limitUnits: 1, limitGroup, ...changes }));
    }
    const [first = '', second = '', third = ''] = saleIds;
    return { limitGroup, first, second, third };
  };
  const kindsOf = (outcomes: Awaited<ReturnType<typeof settle>>) =>
    outcomes.map(({ kind, order }) => (order?.refusal ? `${kind} ${order.refusal}` : kind));

  describe('limit groups', () => {
    test('are what a sale was created with', async () => {
      const limitGroup = newGroup();
      const draft = newDraft({ limitGroup });
      const sale = { ...draft, state: 'draft', version: 1 };
      expect(await ledger().sales.create(draft, QUOTAS)).toEqual({ kind: 'created', sale });
      expect(await ledger().sales.find(draft.id)).toEqual(sale);
      const patched = await ledger().sales.patch(draft.id, 1, { title: 'other' });
      expect(patched).toMatchObject({ kind: 'patched', sale: { limitGroup } });
    });

    test('let no sale join with another limit or other segments, or beyond the most', async () => {
      const { limitGroup } = await openGroup(1);
      const terms = { limitUnits: 1, segmentCount: 2, saleCount: 1 };
      const other = newDraft({ limitGroup, limitUnits: 2 });
      expect(await ledger().sales.create(other, QUOTAS)).toEqual({ kind: 'group_differs', terms });
      const undivided = newDraft({ limitGroup, limitUnits: 1 });
      expect(await ledger().sales.create(undivided, QUOTAS.slice(0, 1))).toEqual({ kind: 'group_differs', terms });
      expect(await ledger().sales.find(other.id)).toBeNull();

      for (let count = 1; count < MAX_SALES_PER_GROUP; count++) {
        const draft = newDraft({ limitGroup, limitUnits: 1 });
        expect(await ledger().sales.create(draft, QUOTAS)).toMatchObject({ kind: 'created' });
      }
      const full = await ledger().sales.create(newDraft({ limitGroup, limitUnits: 1 }), QUOTAS);
      expect(full).toEqual({ kind: 'group_full', terms: { ...terms, saleCount: MAX_SALES_PER_GROUP } });
    });

    test('hold a buyer to one limit over all sales, in one settlement and from one to the next', async () => {
      const { first, second, third } = await openGroup(3);
      const both = await settle(claimOf(first, 1), claimOf(second, 1), claimOf(first, 2, { buyerId: 'bob' }));
      expect(kindsOf(both)).toEqual(['settled', 'refused over_limit', 'settled']);
      expect(both[1]).toMatchObject({ release: { saleId: second, destination: 'quota' } });
      expect(kindsOf(await settle(claimOf(third, 1)))).toEqual(['refused over_limit']);
      expect(kindsOf(await settle(claimOf(second, 1)))).toEqual(['repeated over_limit']);
      expect((await quotasOf(ledger(), second))[0]).toMatchObject({ heldUnits: 0 });
      for (const saleId of [first, second, third]) expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('leave sales outside of them alone, whatever those are called', async () => {
      const { limitGroup, first } = await openGroup(1);
      const alone = await openSale(ledger(), { id: limitGroup, limitUnits: 1 });
      expect(kindsOf(await settle(claimOf(first, 1), claimOf(alone, 1)))).toEqual(['settled', 'settled']);
    });

    test('free what an order had when it ends, for every sale', async () => {
      const { first, second } = await openGroup(2);
      await settle(claimOf(first, 1));
      await ledger().orders.cancel(`${first}/order-1`, 'ann');
      expect(kindsOf(await settle(claimOf(second, 1)))).toEqual(['settled']);
      const reference = `${second}/paid`;
      const notice = { orderId: `${second}/order-1`, reference, amount: null };
      await ledger().orders.notePayment({ ...notice, outcome: 'paid' });
      expect(kindsOf(await settle(claimOf(first, 2)))).toEqual(['refused over_limit']);
      await ledger().orders.notePayment({ ...notice, outcome: 'refunded' });
      expect(kindsOf(await settle(claimOf(first, 3)))).toEqual(['settled']);
    });

    test('are minded by late money: another sale has used the limit up', async () => {
      const { first, second } = await openGroup(2);
      await settle(claimOf(first, 1));
      await ledger().orders.cancel(`${first}/order-1`, 'ann');
      await settle(claimOf(second, 1));
      const orderId = `${first}/order-1`;
      const late = await ledger().orders.notePayment({ orderId, reference: orderId, outcome: 'paid', amount: null });
      expect(late).toMatchObject({ payment: { state: 'reclaiming' } });
      const [outcome] = await settle(claimOf(first, 2, { orderId }));
      expect(outcome).toMatchObject({
        kind: 'second_claim',
        order: { state: 'cancelled' },
        release: { saleId: first },
      });
      await ledger().orders.cancel(`${second}/order-1`, 'ann');
      const [revived] = await settle(claimOf(first, 3, { orderId }));
      expect(revived).toMatchObject({ kind: 'revived', order: { state: 'paid' } });
      expect(kindsOf(await settle(claimOf(second, 2)))).toEqual(['refused over_limit']);
    });
  });
}
