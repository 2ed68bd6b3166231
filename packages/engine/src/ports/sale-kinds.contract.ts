/** What every ledger promises of kinds of sale: offers kept as they were, gifts paid at once, amounts, and points. */
import { describe, expect, test } from 'vitest';
import { walletReference } from '../domain/order/charge.ts';
import type { Order } from '../domain/order/order.ts';
import type { PaymentNotice, PaymentOutcome } from '../domain/order/payment.ts';
import type { Offer } from '../domain/sale/offer.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { Ledger } from './ledger.ts';
import { brokenLaws, newClaim, newDraft, openSale, QUOTAS, quotasOf, stockOf } from './ledger-fixture.contract.ts';

const ITEMS = [
  { itemId: 'sword', quantity: 1 },
  { itemId: 'potion 药水', quantity: 5 },
];

const SKIN: Offer = { kind: 'limited_skin', items: ITEMS, price: { amount: 4_900, currency: 'CNY' } };
const GIFT: Offer = { kind: 'gift_pack', items: ITEMS, price: null };
const EXCHANGE: Offer = { kind: 'exchange', items: ITEMS, price: { points: 30 } };

export function saleKindsContract(ledger: () => Ledger): void {
  async function settled(saleId: string, seq = 1, units = 1): Promise<Order> {
    const [outcome] = await ledger().settlement.settle([
      newClaim(saleId, seq, { units, buyerId: `buyer-of-${saleId}-${seq}` }),
    ]);
    if (!outcome || !('order' in outcome) || !outcome.order) throw new Error('not settled');
    return outcome.order;
  }

  const open = (offer: Offer, changes: Partial<SaleDraft> = {}) => openSale(ledger(), { offer, ...changes });
  const typesOf = async (orderId: string) => (await ledger().orders.history(orderId)).map(({ type }) => type);
  const note = (orderId: string, outcome: PaymentOutcome, notice: Partial<PaymentNotice> = {}) =>
    ledger().orders.notePayment({ orderId, outcome, reference: `${orderId}/1`, amount: null, ...notice });
  const notePoints = (orderId: string, points = 30) =>
    note(orderId, 'paid', { reference: walletReference(orderId), amount: points });
  const stateOf = async (orderId: string) => (await ledger().orders.find(orderId))?.state;
  const chargesOf = async (saleId: string) =>
    (await ledger().orders.listCharges(null, 1_000))
      .filter(({ order }) => order.saleId === saleId)
      .map(({ charge }) => [charge.orderId, charge.points, charge.state]);

  describe('kinds of sale', () => {
    test.each([SKIN, GIFT, EXCHANGE, { ...SKIN, price: null } as Offer])('keep what they offer: %j', async (offer) => {
      const draft = newDraft({ offer, timeZone: 'America/New_York' });
      const created = await ledger().sales.create(draft, QUOTAS);
      const sale = { ...draft, state: 'draft', version: 1 };
      expect(created).toEqual({ kind: 'created', sale });
      expect(await ledger().sales.find(draft.id)).toEqual(sale);
      const patched = await ledger().sales.patch(draft.id, 1, {
        timeZone: 'Asia/Shanghai',
        endsAtMs: draft.endsAtMs + 1,
      });
      expect(patched).toMatchObject({ kind: 'patched', sale: { timeZone: 'Asia/Shanghai', offer } });
      expect((await ledger().sales.find(draft.id))?.timeZone).toBe('Asia/Shanghai');
    });

    test('a gift is paid in the transaction that settles it, and is never due', async () => {
      const saleId = await open(GIFT, { holdMs: 0 });
      const { orderId, state, dueAtMs } = await settled(saleId, 1, 2);
      expect({ state, dueAtMs }).toEqual({ state: 'paid', dueAtMs: null });
      expect(await typesOf(orderId)).toEqual(['order.settled', 'order.paid']);
      expect((await quotasOf(ledger(), saleId))[0]).toMatchObject({ heldUnits: 0, soldUnits: 2 });
      await ledger().orders.expireDue(1_000);
      expect(await stateOf(orderId)).toBe('paid');
      expect((await ledger().orders.cancel(orderId, null)).kind).toBe('wrong_state');
      // Money that nobody asked for is due back.
      expect(await note(orderId, 'paid')).toMatchObject({ payment: { state: 'refund_due' }, order: { state: 'paid' } });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('a gift that was cancelled before it was settled is not given', async () => {
      const saleId = await open(GIFT);
      const { orderId, buyerId } = newClaim(saleId, 1, { buyerId: `buyer-of-${saleId}-1` });
      await ledger().orders.cancel(orderId, buyerId);
      expect((await settled(saleId)).state).toBe('cancelled');
      expect(await typesOf(orderId)).toEqual(['order.settled', 'order.cancelled']);
      expect((await stockOf(ledger(), saleId)).openReleases).toHaveLength(1);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('a payment of another amount than the order costs changes nothing', async () => {
      const saleId = await open(SKIN);
      const { orderId } = await settled(saleId, 1, 2);
      for (const amount of [0, 4_900, 9_801]) {
        expect(await note(orderId, 'paid', { amount })).toMatchObject({ kind: 'amount_differs', amountDue: 9_800 });
      }
      expect(await stateOf(orderId)).toBe('pending');
      expect(await typesOf(orderId)).toEqual(['order.settled']);
      // The reference is as good as new.
      expect(await note(orderId, 'paid', { amount: 9_800 })).toMatchObject({ kind: 'taken', order: { state: 'paid' } });
      expect(await note(orderId, 'refunded', { amount: 1 })).toMatchObject({
        kind: 'amount_differs',
        amountDue: 9_800,
      });
      expect(await note(orderId, 'refunded', { amount: 9_800 })).toMatchObject({ order: { state: 'refunded' } });
    });

    test('a payment that says no amount is believed, and so is any without a price', async () => {
      const { orderId } = await settled(await open(SKIN));
      expect(await note(orderId, 'paid')).toMatchObject({ order: { state: 'paid' } });
      const other = await settled(await open({ ...SKIN, price: null } as Offer));
      expect(await note(other.orderId, 'paid', { amount: 1 })).toMatchObject({ order: { state: 'paid' } });
    });

    test('a wrong amount that came before its order is due back, and the right one still pays', async () => {
      const saleId = await open(SKIN);
      const { orderId } = newClaim(saleId, 1);
      const wrong = { amount: 4_901, reference: `${orderId}/wrong` };
      expect(await note(orderId, 'paid', wrong)).toMatchObject({ payment: { state: 'parked' } });
      expect((await settled(saleId)).state).toBe('pending');
      expect(await note(orderId, 'paid', wrong)).toMatchObject({ kind: 'repeated', payment: { state: 'refund_due' } });
      expect(await typesOf(orderId)).toEqual(['order.settled', 'order.refund_due']);
      expect(await note(orderId, 'paid', { amount: 4_900 })).toMatchObject({ order: { state: 'paid' } });
      expect(await note(orderId, 'refunded', wrong)).toMatchObject({ kind: 'taken', order: { state: 'paid' } });
    });

    test('an exchange waits for its points with a charge, and is paid by the word that they were taken', async () => {
      const saleId = await open(EXCHANGE);
      const { orderId, state } = await settled(saleId, 1, 2);
      expect(state).toBe('pending');
      expect(await chargesOf(saleId)).toEqual([[orderId, 60, 'open']]);
      expect(await notePoints(orderId, 60)).toMatchObject({ kind: 'taken', order: { state: 'paid' } });
      expect(await chargesOf(saleId)).toEqual([]);
      // Word of a refusal that comes late changes nothing.
      expect(await ledger().orders.closeCharge(orderId)).toMatchObject({ order: { state: 'paid' }, release: null });
      expect((await ledger().orders.giveUpCharge(orderId)).state).toBe('taken');
    });

    test('charges are listed page by page, by order id', async () => {
      const saleId = await open(EXCHANGE);
      for (const seq of [1, 2, 3]) await settled(saleId, seq);
      const [first, second, third] = await chargesOf(saleId);
      const [after] = await ledger().orders.listCharges(String(first?.[0]), 1);
      expect([after?.charge.orderId, third?.[0]]).toEqual([second?.[0], `${saleId}/order-3`]);
    });

    test('an order whose points were refused is cancelled, and its units go back', async () => {
      const saleId = await open(EXCHANGE);
      const { orderId } = await settled(saleId);
      const closed = await ledger().orders.closeCharge(orderId);
      expect(closed).toMatchObject({ order: { state: 'cancelled' }, release: { orderId, units: 1 } });
      expect(await ledger().orders.closeCharge(orderId)).toMatchObject({ release: null });
      expect(await typesOf(orderId)).toEqual(['order.settled', 'order.charge_refused', 'order.cancelled']);
      expect(await chargesOf(saleId)).toEqual([]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('points of an order that ended are given up first; a word that comes then is too late for units', async () => {
      const saleId = await open(EXCHANGE);
      const { orderId } = await settled(saleId);
      expect((await ledger().orders.giveUpCharge(orderId)).state).toBe('open');
      await ledger().orders.cancel(orderId, null);
      expect((await ledger().orders.giveUpCharge(orderId)).state).toBe('due_back');
      expect(await notePoints(orderId)).toMatchObject({
        payment: { state: 'refund_due' },
        order: { state: 'cancelled' },
      });
      expect(await chargesOf(saleId)).toEqual([[orderId, 30, 'due_back']]);
      expect(await ledger().orders.closeCharge(orderId)).toMatchObject({ order: { state: 'cancelled' } });
      expect(await chargesOf(saleId)).toEqual([]);
    });

    test('points that were taken in time and told too late get units, or are due back and the order refunded', async () => {
      const saleId = await open(EXCHANGE, { holdMs: 0 });
      const { orderId } = await settled(saleId);
      await ledger().orders.expireDue(1_000);
      const late = await notePoints(orderId);
      if (late.kind !== 'taken') throw new Error(late.kind);
      expect(late.payment.state).toBe('reclaiming');
      expect((await ledger().orders.giveUpCharge(orderId)).state).toBe('taken');
      await ledger().orders.giveUpReclaim(late.payment);
      expect(await stateOf(orderId)).toBe('paid_unfulfilled');
      expect(await chargesOf(saleId)).toEqual([[orderId, 30, 'due_back']]);
      expect(await ledger().orders.closeCharge(orderId)).toMatchObject({ order: { state: 'refunded' } });
      expect(await chargesOf(saleId)).toEqual([]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('an exchange that the back end refunds gives its points back', async () => {
      const saleId = await open(EXCHANGE);
      const { orderId } = await settled(saleId);
      await notePoints(orderId);
      expect(await note(orderId, 'refunded')).toMatchObject({ order: { state: 'refunded' } });
      expect(await chargesOf(saleId)).toEqual([[orderId, 30, 'due_back']]);
      expect(await ledger().orders.closeCharge(orderId)).toMatchObject({ order: { state: 'refunded' }, release: null });
      expect(await typesOf(orderId)).toEqual(['order.settled', 'order.paid', 'order.refunded']);
    });
  });
}
