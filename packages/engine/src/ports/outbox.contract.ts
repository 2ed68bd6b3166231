/** What every ledger promises of its outbox. Other suites write events into the same ledger: each test looks at its own. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '../domain/outbox/delivery.ts';
import { type EventType, messageOf } from '../domain/outbox/outbox-event.ts';
import type { Ledger } from './ledger.ts';
import { newClaim, openSale } from './ledger-fixture.contract.ts';

let lastNumber = 0;

const LEASE_MS = 60_000;

export async function addEndpoint(ledger: Ledger, eventTypes: readonly EventType[] | null = null): Promise<string> {
  lastNumber += 1;
  const id = `endpoint-${lastNumber}`;
  const added = await ledger.webhooks.add({ id, url: 'https://receiver.test/hook', eventTypes, secret: 'whsec_MQ==' });
  if (added.kind !== 'added') throw new Error(`endpoint ${id} was not added: ${added.kind}`);
  return id;
}

export async function removeEndpoints(ledger: Ledger): Promise<void> {
  for (const { id } of await ledger.webhooks.list()) await ledger.webhooks.remove(id);
}

export async function handOutAll(ledger: Ledger): Promise<void> {
  while ((await ledger.outbox.handOut()) > 0);
}

export async function claimOf(ledger: Ledger, endpointId: string, max = 100, leaseMs = LEASE_MS) {
  lastNumber += 1;
  const claimId = `claim-${lastNumber}`;
  const deliveries = await ledger.outbox.claim({ endpointId, max, leaseMs, claimId });
  return { claimId, deliveries };
}

function typesOf(deliveries: readonly ClaimedDelivery[]): readonly string[] {
  return deliveries.map(({ event }) => event.event.type);
}

/** Claims and delivers until nothing is due; the types, of one sale or of all, in the order of their delivery. */
async function deliverAll(ledger: Ledger, endpointId: string, saleId?: string): Promise<readonly string[]> {
  const told: string[] = [];
  for (;;) {
    const { claimId, deliveries } = await claimOf(ledger, endpointId);
    if (deliveries.length === 0) return told;
    told.push(...typesOf(deliveries.filter(({ event }) => saleId === undefined || event.event.saleId === saleId)));
    for (const { id } of deliveries) await ledger.outbox.delivered({ id, claimId });
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export function outboxContract(ledger: () => Ledger): void {
  /** An endpoint and an order of its own, settled and paid. */
  async function paidOrder(): Promise<{
    readonly endpointId: string;
    readonly saleId: string;
    readonly orderId: string;
  }> {
    const saleId = await openSale(ledger());
    await handOutAll(ledger());
    const endpointId = await addEndpoint(ledger());
    const claim = newClaim(saleId, 1);
    await ledger().settlement.settle([claim]);
    const { orderId } = claim;
    await ledger().orders.notePayment({ orderId, reference: `pay ${orderId}`, outcome: 'paid', amount: null });
    await handOutAll(ledger());
    return { endpointId, saleId, orderId };
  }

  describe('the outbox', () => {
    afterEach(() => removeEndpoints(ledger()));

    test('tells each event of an order once, in their order, one at a time', async () => {
      const { endpointId, orderId } = await paidOrder();
      await ledger().orders.fulfil(orderId);
      await handOutAll(ledger());
      const first = await claimOf(ledger(), endpointId);
      expect(typesOf(first.deliveries)).toEqual(['order.settled']);
      // The next one waits, whoever asks.
      expect((await claimOf(ledger(), endpointId)).deliveries).toEqual([]);
      const [{ id } = { id: 0 }] = first.deliveries;
      await ledger().outbox.delivered({ id, claimId: first.claimId });
      expect(await deliverAll(ledger(), endpointId)).toEqual(['order.paid', 'order.fulfilled']);
    });

    test('tells every end of an order', async () => {
      const saleId = await openSale(ledger(), { holdMs: 1, limitUnits: 9 });
      await handOutAll(ledger());
      const endpointId = await addEndpoint(ledger());
      const claims = [1, 2, 3].map((seq) => newClaim(saleId, seq, { units: seq === 3 ? 10 : 1 }));
      await ledger().settlement.settle(claims);
      const [cancelled, expired] = claims;
      if (!cancelled || !expired) throw new Error('three claims');
      await ledger().orders.cancel(cancelled.orderId, null);
      await pause(5);
      while ((await ledger().orders.expireDue(100)).orders.length > 0);
      const payment = { reference: `late ${saleId}`, outcome: 'paid', amount: null } as const;
      const noted = await ledger().orders.notePayment({ orderId: expired.orderId, ...payment });
      if (noted.kind !== 'taken') throw new Error(noted.kind);
      await ledger().orders.giveUpReclaim(noted.payment);
      await handOutAll(ledger());
      // Orders of other suites may be due, too.
      const told = await deliverAll(ledger(), endpointId, saleId);
      expect([...told].sort()).toEqual(
        [
          ...['order.settled', 'order.settled', 'order.refused'],
          ...['order.cancelled', 'order.expired', 'order.refund_due'],
        ].sort(),
      );
    });

    test('tells of a sale that is published, sold out and closed', async () => {
      const endpointId = await addEndpoint(ledger());
      const saleId = await openSale(ledger(), { totalUnits: 1 });
      expect(await ledger().sales.notice(saleId, { condition: 'soldOut' })).toBe('as_before');
      const claim = newClaim(saleId, 1);
      await ledger().settlement.settle([claim]);
      const { orderId } = claim;
      await ledger().orders.notePayment({ orderId, reference: `pay ${orderId}`, outcome: 'paid', amount: null });
      expect(await ledger().sales.notice(saleId, { condition: 'soldOut' })).toBe('tell');
      expect(await ledger().sales.notice(saleId, { condition: 'soldOut' })).toBe('as_before');
      expect((await ledger().inventoryCentre.stock(saleId, []))?.told).toEqual({ soldOut: true, unbalanced: false });
      await ledger().sales.operate(saleId, 'pause');
      await ledger().sales.operate(saleId, 'close');
      await ledger().sales.operate(saleId, 'close');
      await handOutAll(ledger());
      const told = await deliverAll(ledger(), endpointId);
      expect(told.filter((type) => type.startsWith('sale.'))).toEqual([
        'sale.published',
        'sale.sold_out',
        'sale.closed',
      ]);
    });

    test('tells once of places that do not sum up, and again after they did', async () => {
      const saleId = await openSale(ledger());
      await handOutAll(ledger());
      const endpointId = await addEndpoint(ledger());
      const notice = (surplusUnits: number) => ledger().sales.notice(saleId, { condition: 'unbalanced', surplusUnits });
      const decisions = [await notice(0), await notice(-2), await notice(-3), await notice(0), await notice(1)];
      expect(decisions).toEqual(['as_before', 'tell', 'as_before', 'forget', 'tell']);
      await handOutAll(ledger());
      const { deliveries } = await claimOf(ledger(), endpointId);
      expect(typesOf(deliveries)).toEqual(['inventory.unbalanced']);
      expect(deliveries[0]?.event).toMatchObject({
        event: { saleId, surplusUnits: -2, totalUnits: 100, state: 'live' },
      });
    });

    test('tells an event with what there is to deliver, under an id that stays', async () => {
      const { endpointId, orderId, saleId } = await paidOrder();
      const { deliveries } = await claimOf(ledger(), endpointId, 100, 0);
      const again = await claimOf(ledger(), endpointId);
      expect(again.deliveries).toEqual(deliveries);
      const [delivery] = deliveries;
      if (!delivery) throw new Error('there is a delivery');
      const message = messageOf(delivery.event);
      expect(message).toMatchObject({
        type: 'order.settled',
        data: {
          orderId,
          saleId,
          buyer: 'buyer-1',
          units: 1,
          status: 'pending',
          items: [{ itemId: 'skin', quantity: 1 }],
        },
      });
      expect(message.id.startsWith(`${orderId}.`)).toBe(true);
    });

    test('hands out to those who want it, and what happens from then on', async () => {
      const saleId = await openSale(ledger());
      await handOutAll(ledger());
      const [paid, all] = [await addEndpoint(ledger(), ['order.paid']), await addEndpoint(ledger())];
      const claim = newClaim(saleId, 1);
      await ledger().settlement.settle([claim]);
      const { orderId } = claim;
      await ledger().orders.notePayment({ orderId, reference: `pay ${orderId}`, outcome: 'paid', amount: null });
      await pause(5);
      const late = await addEndpoint(ledger());
      await handOutAll(ledger());
      expect(await deliverAll(ledger(), paid)).toEqual(['order.paid']);
      expect(await deliverAll(ledger(), all)).toEqual(['order.settled', 'order.paid']);
      expect(await deliverAll(ledger(), late)).toEqual([]);
    });

    test('gives what somebody has in hand to another only when their lease has ended', async () => {
      const { endpointId } = await paidOrder();
      const dead = await claimOf(ledger(), endpointId, 1, 1_000);
      expect(dead.deliveries).toHaveLength(1);
      expect((await claimOf(ledger(), endpointId)).deliveries).toEqual([]);
      await pause(1_050);
      const heir = await claimOf(ledger(), endpointId);
      expect(heir.deliveries).toEqual(dead.deliveries);
      // Who was thought dead, and was not, changes nothing any more.
      const [{ id } = { id: 0 }] = dead.deliveries;
      await ledger().outbox.failed({ id, claimId: dead.claimId }, 'too late', null);
      await ledger().outbox.delivered({ id, claimId: dead.claimId });
      await ledger().outbox.putBack({ id, claimId: dead.claimId });
      expect((await claimOf(ledger(), endpointId)).deliveries).toEqual([]);
      await ledger().outbox.delivered({ id, claimId: heir.claimId });
      expect(await deliverAll(ledger(), endpointId)).toEqual(['order.paid']);
    });

    /** Each on a connection of its own, where there are some. */
    async function atOnce<Answer>(work: () => Promise<Answer>): Promise<readonly Answer[]> {
      const eight = Array.from({ length: 8 }, () => work);
      await Promise.all(eight.map(() => ledger().outbox.depth()));
      return Promise.all(eight.map((each) => each()));
    }

    test('one claim of many gets a delivery', async () => {
      const saleId = await openSale(ledger());
      await handOutAll(ledger());
      const endpointId = await addEndpoint(ledger());
      await ledger().settlement.settle(Array.from({ length: 40 }, (_, seq) => newClaim(saleId, seq + 1)));
      await handOutAll(ledger());
      const claimed: number[] = [];
      for (let round = 0; round < 10; round++) {
        const claims = await atOnce(() => claimOf(ledger(), endpointId, 4));
        claimed.push(...claims.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)));
      }
      expect(new Set(claimed).size).toBe(40);
      expect(claimed).toHaveLength(40);
    });

    test('many hand out an event once', async () => {
      const saleId = await openSale(ledger());
      await handOutAll(ledger());
      const endpointId = await addEndpoint(ledger());
      await ledger().settlement.settle(Array.from({ length: 60 }, (_, seq) => newClaim(saleId, seq + 1)));
      await atOnce(() => handOutAll(ledger()));
      await handOutAll(ledger());
      const { deliveries } = await claimOf(ledger(), endpointId);
      expect(deliveries).toHaveLength(60);
      expect((await ledger().outbox.depth()).deliveries).toBe(60);
    });

    test('tries again when it is told to, and holds only that order up meanwhile', async () => {
      const { endpointId, saleId } = await paidOrder();
      const first = await claimOf(ledger(), endpointId);
      const [{ id } = { id: 0 }] = first.deliveries;
      await ledger().outbox.failed({ id, claimId: first.claimId }, 'HTTP 500', 1_000);
      await ledger().settlement.settle([newClaim(saleId, 2)]);
      await handOutAll(ledger());
      const other = await claimOf(ledger(), endpointId);
      expect(other.deliveries.map(({ event }) => event.event)).toMatchObject([{ orderId: `${saleId}/order-2` }]);
      await pause(1_050);
      const again = await claimOf(ledger(), endpointId);
      expect(again.deliveries).toMatchObject([{ id, failures: 1 }]);
      await ledger().outbox.putBack({ id, claimId: again.claimId });
      expect((await claimOf(ledger(), endpointId)).deliveries).toMatchObject([{ id, failures: 1 }]);
    });

    test('goes on past a dead letter, which is listed, and replayed when asked for', async () => {
      const { endpointId } = await paidOrder();
      const first = await claimOf(ledger(), endpointId);
      const [{ id } = { id: 0 }] = first.deliveries;
      await ledger().outbox.failed({ id, claimId: first.claimId }, 'HTTP 500 皮肤', null);
      expect(await deliverAll(ledger(), endpointId)).toEqual(['order.paid']);
      const { deadLetters, next } = await ledger().outbox.listDead(endpointId, null, 10);
      expect({ deadLetters, next }).toMatchObject({
        deadLetters: [{ id, failures: 1, error: 'HTTP 500 皮肤', event: { event: { type: 'order.settled' } } }],
        next: null,
      });
      expect(await ledger().outbox.replay(endpointId, id + 1)).toBe(0);
      expect(await ledger().outbox.replay('nobody', null)).toBe(0);
      expect(await ledger().outbox.replay(endpointId, id)).toBe(1);
      expect((await ledger().outbox.listDead(endpointId, null, 10)).deadLetters).toEqual([]);
      expect((await claimOf(ledger(), endpointId)).deliveries).toMatchObject([{ id, failures: 0 }]);
    });

    test('lists dead letters in pages, and replays all of them', async () => {
      const saleId = await openSale(ledger());
      await handOutAll(ledger());
      const endpointId = await addEndpoint(ledger());
      await ledger().settlement.settle([1, 2, 3].map((seq) => newClaim(saleId, seq)));
      await handOutAll(ledger());
      const { claimId, deliveries } = await claimOf(ledger(), endpointId);
      for (const { id } of deliveries) await ledger().outbox.failed({ id, claimId }, 'gone', null);
      const first = await ledger().outbox.listDead(endpointId, null, 2);
      const second = await ledger().outbox.listDead(endpointId, first.next, 2);
      expect([first, second].map((page) => page.deadLetters.length)).toEqual([2, 1]);
      expect(second.next).toBeNull();
      expect(await ledger().outbox.replay(endpointId, null)).toBe(3);
      expect(await deliverAll(ledger(), endpointId)).toHaveLength(3);
    });

    test('tells how much waits, and for how long', async () => {
      const { endpointId } = await paidOrder();
      const before = await ledger().outbox.depth();
      expect(before).toMatchObject({ events: 0, deliveries: 2, deadLetters: 0 });
      expect(before.oldestAgeMs).toBeGreaterThanOrEqual(0);
      const { claimId, deliveries } = await claimOf(ledger(), endpointId);
      for (const { id } of deliveries) await ledger().outbox.failed({ id, claimId }, 'gone', null);
      expect(await ledger().outbox.depth()).toMatchObject({ deliveries: 1, deadLetters: 1 });
      await removeEndpoints(ledger());
      await openSale(ledger());
      expect(await ledger().outbox.depth()).toMatchObject({ events: 1, deliveries: 0, deadLetters: 0 });
      await handOutAll(ledger());
      expect(await ledger().outbox.depth()).toEqual({ events: 0, deliveries: 0, oldestAgeMs: null, deadLetters: 0 });
    });
  });
}
