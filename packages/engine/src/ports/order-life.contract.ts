/** What every ledger promises of an order's life: payment, cancel and expiry, in every order, and each thing once. */
import { describe, expect, test } from 'vitest';
import { type Order, placeOfOrder } from '../domain/order/order.ts';
import type { PaymentNotice, PaymentOutcome } from '../domain/order/payment.ts';
import type { Ledger } from './ledger.ts';
import { brokenLaws, newClaim, openSale, quotasOf, stockOf } from './ledger-fixture.contract.ts';

export const STEPS = ['settled', 'paid', 'failed', 'expired', 'cancelled', 'refunded', 'duplicate'] as const;

export type Step = (typeof STEPS)[number];

/** All orderings of up to `longest` different steps. */
export function* orderings(longest: number, before: readonly Step[] = []): Generator<readonly Step[]> {
  if (before.length > 0) yield before;
  if (before.length === longest) return;
  for (const step of STEPS) if (!before.includes(step)) yield* orderings(longest, [...before, step]);
}

const noticeOf = (orderId: string, reference: string, outcome: PaymentOutcome): PaymentNotice => ({
  ...{ orderId, reference, outcome, amount: null },
});

/** An order is due as soon as it is settled. */
export const openHasty = (ledger: Ledger, totalUnits: number) => openSale(ledger, { totalUnits, holdMs: 0 });

/** The steps of orders' lives, and what must hold at their ends. */
export function livesIn(ledger: () => Ledger) {
  async function settle(saleId: string, seq: number): Promise<Order> {
    const [outcome] = await ledger().settlement.settle([
      newClaim(saleId, seq, { buyerId: `buyer-of-${saleId}-${seq}` }),
    ]);
    if (!outcome || !('order' in outcome) || !outcome.order) throw new Error('not settled');
    return outcome.order;
  }

  async function live(saleId: string, seq: number, step: Step): Promise<void> {
    const { orderId } = newClaim(saleId, seq);
    switch (step) {
      case 'settled':
        await settle(saleId, seq);
        return;
      case 'paid':
      case 'failed':
      case 'refunded':
        await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/1`, step));
        return;
      case 'duplicate':
        await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/2`, 'paid'));
        return;
      case 'cancelled':
        await ledger().orders.cancel(orderId, null);
        return;
      case 'expired':
        await ledger().orders.expireDue(1_000);
    }
  }

  /** Who pays for what, once nothing is under way any more. */
  async function checkEnd(saleId: string, seq: number, steps: readonly Step[]): Promise<void> {
    for (const { payment } of await ledger().orders.listReclaiming(10)) await ledger().orders.giveUpReclaim(payment);
    const { orderId } = newClaim(saleId, seq);
    const order = await ledger().orders.find(orderId);
    const types = (await ledger().orders.history(orderId)).map((event) => event.type);
    const count = (type: string) => types.filter((each) => each === type).length;
    const life = `${steps.join(' ')} -> ${order?.state} (${types.join(' ')})`;
    if (!order) {
      expect(steps.includes('settled'), life).toBe(false);
      return;
    }
    const paid = steps.filter((step) => step === 'paid' || step === 'duplicate').length;
    // Money is for an order, given back, or due back; and never both kept and nothing given for it.
    const keeps = order.state === 'paid' ? 1 : 0;
    expect(count('order.paid'), life).toBeLessThanOrEqual(1);
    if (order.state === 'paid') expect(count('order.refund_due'), life).toBe(paid - 1);
    if (order.state !== 'refunded') expect(keeps + count('order.refund_due'), life).toBe(paid);
    if (paid === 0) expect(['pending', 'cancelled', 'expired'], life).toContain(order.state);
    if (steps.includes('refunded') && paid === 1 && order.state !== 'pending')
      expect(order.state, life).not.toBe('paid');
    expect(count('order.settled'), life).toBe(1);
    expect(count('order.cancelled') + count('order.expired'), life).toBeLessThanOrEqual(1);
  }

  return { settle, live, checkEnd };
}

/** `longest`: how many steps of a life are tried in every order; 6 are 8,659 lives. */
export function orderLifeContract(ledger: () => Ledger, longest: number): void {
  const { settle, live, checkEnd } = livesIn(ledger);

  describe('the life of an order', () => {
    test(`ends right in every order of up to ${longest} steps, and twice is once`, { timeout: 180_000 }, async () => {
      const lives = [...orderings(longest)];
      const saleId = await openHasty(ledger(), lives.length);
      for (const [index, steps] of lives.entries()) {
        for (const step of steps) await live(saleId, index + 1, step);
        await checkEnd(saleId, index + 1, steps);
        const before = await ledger().orders.find(newClaim(saleId, index + 1).orderId);
        for (const step of steps) if (step !== 'expired') await live(saleId, index + 1, step);
        await ledger().orders.expireDue(1_000);
        const after = await ledger().orders.find(newClaim(saleId, index + 1).orderId);
        const isHeld = before?.state === 'pending';
        if (!isHeld) expect(after, steps.join(' ')).toEqual(before);
      }
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      await checkUnits(saleId, lives.length);
    });

    async function checkUnits(saleId: string, lives: number): Promise<void> {
      const places = { held: 0, sold: 0 };
      for (let seq = 1; seq <= lives; seq++) {
        const order = await ledger().orders.find(newClaim(saleId, seq).orderId);
        const place = order && placeOfOrder(order.state);
        if (place === 'held' || place === 'sold') places[place] += 1;
      }
      const [quota] = await quotasOf(ledger(), saleId);
      expect({ held: quota?.heldUnits, sold: quota?.soldUnits }).toEqual(places);
    }

    test('ends as paid or as ended when money and its end meet, two thousand times (K02)', {
      timeout: 180_000,
    }, async () => {
      const rounds = 2_500;
      const atOnce = 10;
      const saleId = await openHasty(ledger(), rounds);
      for (let from = 1; from <= rounds; from += atOnce) {
        const claims = Array.from({ length: atOnce }, (_, index) =>
          newClaim(saleId, from + index, { buyerId: `buyer-of-${saleId}-${from + index}` }),
        );
        await ledger().settlement.settle(claims);
        const pay = () => claims.map(({ orderId }) => ledger().orders.notePayment(noticeOf(orderId, orderId, 'paid')));
        const end = (): Promise<unknown>[] =>
          from > 2_000
            ? claims.map(({ orderId }) => ledger().orders.cancel(orderId, null))
            : [ledger().orders.expireDue(atOnce / 2), ledger().orders.expireDue(atOnce / 2)];
        await Promise.all((from / atOnce) % 2 < 1 ? [...pay(), ...end()] : [...end(), ...pay()]);
        for (const { payment } of await ledger().orders.listReclaiming(atOnce))
          await ledger().orders.giveUpReclaim(payment);
      }
      const { orders } = await ledger().orders.list({ saleId }, null, rounds);
      const count = (state: Order['state']) => orders.filter((order) => order.state === state).length;
      expect([...new Set(orders.map(({ state }) => state))].sort()).toEqual(['paid', 'paid_unfulfilled']);
      expect(count('paid') + count('paid_unfulfilled')).toBe(rounds);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      const [quota] = await quotasOf(ledger(), saleId);
      expect(quota).toMatchObject({ heldUnits: 0, soldUnits: count('paid') });
      expect((await stockOf(ledger(), saleId)).openReleases).toHaveLength(count('paid_unfulfilled'));
    });

    test('gives units back once, however often its end is told (K17)', async () => {
      const saleId = await openHasty(ledger(), 5);
      const { orderId } = await settle(saleId, 1);
      const calls = Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0 ? ledger().orders.cancel(orderId, null) : ledger().orders.expireDue(10),
      );
      await Promise.all(calls);
      await ledger().orders.cancel(orderId, null);
      const { openReleases } = await stockOf(ledger(), saleId);
      expect(openReleases.filter((release) => release.orderId === orderId)).toHaveLength(1);
      for (const release of openReleases) await ledger().inventoryCentre.finishRelease(release.id);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      expect((await quotasOf(ledger(), saleId))[0]).toMatchObject({ heldUnits: 0, soldUnits: 0 });
    });

    test('frees the limit of its buyer when it ends', async () => {
      const saleId = await openSale(ledger(), { limitUnits: 1, holdMs: 60_000 });
      const buyerId = 'one-at-a-time';
      const first = newClaim(saleId, 1, { buyerId });
      await ledger().settlement.settle([first]);
      expect(await ledger().settlement.settle([newClaim(saleId, 2, { buyerId })])).toMatchObject([{ kind: 'refused' }]);
      await ledger().orders.cancel(first.orderId, buyerId);
      expect(await ledger().settlement.settle([newClaim(saleId, 3, { buyerId })])).toMatchObject([{ kind: 'settled' }]);
    });

    test('is nobody else’s to end', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      await ledger().orders.cancel(claim.orderId, 'a stranger');
      await ledger().settlement.settle([claim]);
      expect(await ledger().orders.find(claim.orderId)).toMatchObject({ state: 'pending' });
      expect(await ledger().orders.cancel(claim.orderId, 'a stranger')).toMatchObject({ kind: 'absent' });
      expect(await ledger().orders.cancel(claim.orderId, claim.buyerId)).toMatchObject({ kind: 'cancelled' });
    });

    test('takes money that came before it (K20)', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      const notice = noticeOf(claim.orderId, 'early', 'paid');
      expect(await ledger().orders.notePayment(notice)).toMatchObject({ kind: 'taken', payment: { state: 'parked' } });
      expect(await ledger().settlement.settle([claim])).toMatchObject([{ kind: 'settled', order: { state: 'paid' } }]);
      expect(await ledger().orders.notePayment(notice)).toMatchObject({
        kind: 'repeated',
        payment: { state: 'applied' },
      });
      expect((await quotasOf(ledger(), saleId))[0]).toMatchObject({ heldUnits: 0, soldUnits: 1 });
    });

    test('takes late money under a new claim, and gives the old one nothing (K19, P16)', async () => {
      const saleId = await openHasty(ledger(), 5);
      const { orderId } = await settle(saleId, 1);
      await ledger().orders.expireDue(10);
      const late = await ledger().orders.notePayment(noticeOf(orderId, 'late', 'paid'));
      expect(late).toMatchObject({ kind: 'taken', payment: { state: 'reclaiming' }, order: { state: 'expired' } });
      const again = { ...newClaim(saleId, 1, { buyerId: `buyer-of-${saleId}-1` }), origin: newClaim(saleId, 2).origin };
      expect(await ledger().settlement.settle([again])).toMatchObject([{ kind: 'revived', order: { state: 'paid' } }]);
      expect(await ledger().settlement.settle([again])).toMatchObject([{ kind: 'repeated' }]);
      const old = newClaim(saleId, 1, { buyerId: `buyer-of-${saleId}-1` });
      expect(await ledger().settlement.settle([old])).toMatchObject([{ kind: 'repeated' }]);
      expect(await ledger().orders.listReclaiming(10)).toEqual([]);
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      expect((await quotasOf(ledger(), saleId))[0]).toMatchObject({ heldUnits: 0, soldUnits: 1 });
    });

    test('keeps its units when the payment that was too much is given back', async () => {
      const saleId = await openSale(ledger());
      const { orderId } = await settle(saleId, 1);
      await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/first`, 'paid'));
      await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/second`, 'paid'));
      const surplus = await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/second`, 'refunded'));
      expect(surplus).toMatchObject({ payment: { state: 'applied' }, order: { state: 'paid' }, release: null });
      const own = await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/first`, 'refunded'));
      expect(own).toMatchObject({ payment: { state: 'applied' }, order: { state: 'refunded' }, release: { orderId } });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('keeps its units when what was too much is given back under a reference of the refund’s own', async () => {
      const saleId = await openSale(ledger());
      const { orderId } = await settle(saleId, 1);
      const note = (reference: string, outcome: 'paid' | 'refunded') =>
        ledger().orders.notePayment(noticeOf(orderId, `${orderId}/${reference}`, outcome));
      await note('first', 'paid');
      await note('second', 'paid');
      expect(await note('re-1', 'refunded')).toMatchObject({ payment: { state: 'applied' }, order: { state: 'paid' } });
      expect(await note('re-2', 'refunded')).toMatchObject({ order: { state: 'refunded' }, release: { orderId } });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('is not ended by the refund of a part of its payment', async () => {
      const saleId = await openSale(ledger());
      const { orderId } = await settle(saleId, 1);
      const note = (outcome: 'paid' | 'refunded', amount: number | null) =>
        ledger().orders.notePayment({ ...noticeOf(orderId, `${orderId}/paid`, outcome), amount });
      await note('paid', 100);
      expect(await note('refunded', 1)).toMatchObject({ kind: 'amount_differs', amountDue: 100 });
      expect(await ledger().orders.find(orderId)).toMatchObject({ state: 'paid' });
      expect(await note('refunded', 100)).toMatchObject({ order: { state: 'refunded' } });
    });

    test('keeps its units when the one too much of two early payments was given back already', async () => {
      const saleId = await openSale(ledger());
      const claim = newClaim(saleId, 1);
      for (const outcome of ['paid', 'refunded'] as const) {
        if (outcome === 'paid')
          await ledger().orders.notePayment(noticeOf(claim.orderId, `${claim.orderId}/first`, outcome));
        await ledger().orders.notePayment(noticeOf(claim.orderId, `${claim.orderId}/second`, outcome));
      }
      expect(await ledger().settlement.settle([claim])).toMatchObject([{ kind: 'settled', order: { state: 'paid' } }]);
      const refund = await ledger().orders.notePayment(noticeOf(claim.orderId, `${claim.orderId}/second`, 'refunded'));
      expect(refund).toMatchObject({ kind: 'repeated', payment: { state: 'applied' } });
    });

    test('ends again when late money was given back before its claim was settled', async () => {
      const saleId = await openHasty(ledger(), 5);
      const { orderId, buyerId } = await settle(saleId, 1);
      await ledger().orders.expireDue(10);
      for (const outcome of ['refunded', 'paid'] as const) {
        await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/late`, outcome));
      }
      const again = { ...newClaim(saleId, 1, { buyerId }), origin: newClaim(saleId, 2).origin };
      expect(await ledger().settlement.settle([again])).toMatchObject([
        { kind: 'revived', order: { state: 'refunded' }, release: { orderId, origin: again.origin } },
      ]);
      const refund = await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/late`, 'refunded'));
      expect(refund).toMatchObject({ kind: 'repeated', payment: { state: 'applied' } });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
      expect((await quotasOf(ledger(), saleId))[0]).toMatchObject({ heldUnits: 0, soldUnits: 0 });
    });

    test('ends as refunded when late money was given back before it was given up', async () => {
      const saleId = await openHasty(ledger(), 5);
      const { orderId } = await settle(saleId, 1);
      await ledger().orders.expireDue(10);
      await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/late`, 'refunded'));
      const late = await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/late`, 'paid'));
      if (late.kind !== 'taken') throw new Error(late.kind);
      expect(await ledger().orders.giveUpReclaim(late.payment)).toMatchObject({ state: 'refunded' });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('owes the money back that came before the order was refused', async () => {
      const saleId = await openSale(ledger(), { limitUnits: 1 });
      const buyerId = 'one-at-a-time';
      const second = newClaim(saleId, 2, { buyerId });
      await ledger().orders.notePayment(noticeOf(second.orderId, `${second.orderId}/early`, 'paid'));
      const outcomes = await ledger().settlement.settle([newClaim(saleId, 1, { buyerId }), second]);
      expect(outcomes[1]).toMatchObject({ kind: 'refused', order: { state: 'paid_unfulfilled' } });
      const notice = noticeOf(second.orderId, `${second.orderId}/early`, 'paid');
      expect(await ledger().orders.notePayment(notice)).toMatchObject({ payment: { state: 'refund_due' } });
      expect(await brokenLaws(ledger(), saleId)).toEqual([]);
    });

    test('lists what was told of the money of an order, oldest first, and of no other', async () => {
      const saleId = await openSale(ledger());
      const { orderId } = newClaim(saleId, 1);
      const early = { ...noticeOf(orderId, `${orderId}/z`, 'paid'), amount: 100 };
      await ledger().orders.notePayment(early);
      expect(await ledger().orders.payments(orderId)).toEqual([{ ...early, state: 'parked' }]);
      await settle(saleId, 1);
      await ledger().orders.notePayment(noticeOf((await settle(saleId, 2)).orderId, 'of-another', 'paid'));
      await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/a`, 'paid'));
      await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/a`, 'refunded'));
      expect(await ledger().orders.payments(orderId)).toEqual([
        { ...early, state: 'applied' },
        { ...noticeOf(orderId, `${orderId}/a`, 'paid'), state: 'refund_due' },
        { ...noticeOf(orderId, `${orderId}/a`, 'refunded'), state: 'applied' },
      ]);
      // The refund of what was too much is told, and the order stays paid.
      const told = (await ledger().orders.history(orderId)).map(({ type, state }) => [type, state]);
      expect(told.slice(-2)).toEqual([
        ['order.refund_due', 'paid'],
        ['order.refunded', 'paid'],
      ]);
    });

    describe('its events of money say which payment they are about', () => {
      const moneyOf = async (orderId: string) => {
        const events = await ledger().orders.history(orderId);
        return events.map(({ type, reference, amount }) => [type, reference, amount]);
      };
      const SETTLED = ['order.settled', null, null];

      test('when it is paid, what is too much is due back, and either goes back', async () => {
        const { orderId } = await settle(await openSale(ledger()), 1);
        const note = (name: string, outcome: 'paid' | 'refunded', amount: number | null) =>
          ledger().orders.notePayment({ ...noticeOf(orderId, `${orderId}/${name}`, outcome), amount });
        await note('first', 'paid', 100);
        await note('second', 'paid', 70);
        await note('second', 'refunded', null);
        await note('re-1', 'refunded', 100);
        expect(await moneyOf(orderId)).toEqual([
          SETTLED,
          ['order.paid', `${orderId}/first`, 100],
          ['order.refund_due', `${orderId}/second`, 70],
          ['order.refunded', `${orderId}/second`, 70],
          ['order.refunded', `${orderId}/re-1`, 100],
        ]);
      });

      test('when late money finds no units, and goes back under a reference of the refund’s own', async () => {
        const { orderId } = await settle(await openHasty(ledger(), 5), 1);
        await ledger().orders.expireDue(10);
        const late = { ...noticeOf(orderId, `${orderId}/late`, 'paid'), amount: 100 };
        const noted = await ledger().orders.notePayment(late);
        if (noted.kind !== 'taken') throw new Error(noted.kind);
        await ledger().orders.giveUpReclaim(noted.payment);
        await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/re-1`, 'refunded'));
        expect(await moneyOf(orderId)).toEqual([
          ...[SETTLED, ['order.expired', null, null]],
          ['order.refund_due', `${orderId}/late`, 100],
          ['order.refunded', `${orderId}/late`, 100],
        ]);
      });

      test('when late money gets units, and its refund came before it', async () => {
        const saleId = await openHasty(ledger(), 5);
        const { orderId, buyerId } = await settle(saleId, 1);
        await ledger().orders.expireDue(10);
        await ledger().orders.notePayment(noticeOf(orderId, `${orderId}/re-1`, 'refunded'));
        await ledger().orders.notePayment({ ...noticeOf(orderId, `${orderId}/late`, 'paid'), amount: 100 });
        await ledger().settlement.settle([{ ...newClaim(saleId, 1, { buyerId }), origin: newClaim(saleId, 2).origin }]);
        expect(await moneyOf(orderId)).toEqual([
          ...[SETTLED, ['order.expired', null, null]],
          ['order.paid', `${orderId}/late`, 100],
          ['order.refunded', `${orderId}/late`, 100],
        ]);
      });

      test('when the money came before the order', async () => {
        const saleId = await openSale(ledger());
        const { orderId } = newClaim(saleId, 1);
        for (const name of ['a', 'b'])
          await ledger().orders.notePayment({ ...noticeOf(orderId, `${orderId}/${name}`, 'paid'), amount: 100 });
        await settle(saleId, 1);
        expect(await moneyOf(orderId)).toEqual([
          SETTLED,
          ['order.paid', `${orderId}/a`, 100],
          ['order.refund_due', `${orderId}/b`, 100],
        ]);
      });
    });

    test('refuses the same reference for something else, and takes nothing', async () => {
      const saleId = await openSale(ledger());
      const { orderId } = await settle(saleId, 1);
      await ledger().orders.notePayment({ ...noticeOf(orderId, 'once', 'paid'), amount: 100 });
      const other = { ...noticeOf(orderId, 'once', 'paid'), amount: 200 };
      expect(await ledger().orders.notePayment(other)).toMatchObject({ kind: 'content_differs' });
      const elsewhere = noticeOf((await settle(saleId, 2)).orderId, 'once', 'paid');
      expect(await ledger().orders.notePayment(elsewhere)).toMatchObject({ kind: 'content_differs' });
    });

    test('is listed in pages that neither repeat nor skip, by sale, buyer and state', async () => {
      const saleId = await openSale(ledger());
      const claims = Array.from({ length: 25 }, (_, index) => newClaim(saleId, index + 1));
      await ledger().settlement.settle(claims);
      const seen: string[] = [];
      let cursor: Parameters<Ledger['orders']['list']>[1] = null;
      for (;;) {
        const page = await ledger().orders.list({ saleId, state: 'pending' }, cursor, 10);
        seen.push(...page.orders.map((order) => order.orderId));
        const last = page.orders.at(-1);
        if (page.next === null || !last) break;
        cursor = last;
      }
      expect(seen.sort()).toEqual(claims.map((claim) => claim.orderId).sort());
      expect((await ledger().orders.list({ saleId, buyerId: 'buyer-7' }, null, 10)).orders).toHaveLength(1);
      expect((await ledger().orders.list({ saleId, state: 'paid' }, null, 10)).orders).toEqual([]);
      expect(await ledger().orders.findMany(['absent', claims[0]?.orderId ?? ''])).toHaveLength(1);
    });
  });
}
