import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createSqliteLedger } from '../adapters/sql/embedded/create-sqlite-ledger.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { Ledger } from '../ports/ledger.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';

const TIMEOUT_MS = 180_000;
const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
const buyerOf = (buyerId: string) => ({ buyerId, region: HOME_REGION, channel: MAIN_CHANNEL });

describe('money that comes in the instant in which an order ends', () => {
  let directory: string;
  let ledger: Ledger & { close(): Promise<void> };
  let engine: Engine;
  const crashes: unknown[] = [];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-money-'));
    ledger = await createSqliteLedger({ file: join(directory, 'ledger.db') });
    const idSource = createIdSource();
    const { gate, queue } = createMemoryStore({ clock, idSource });
    engine = buildEngine({
      ...{ clock, idSource, signer, gate, queue, ledger, feed: createMemoryOrderFeed() },
      ...{ onFault: (fault) => crashes.push(fault), onCrash: (error) => crashes.push(error) },
    });
    await engine.start();
  });

  afterEach(async () => {
    await engine.stop();
    await ledger.close();
    rmSync(directory, { recursive: true, force: true });
    expect(crashes.splice(0)).toEqual([]);
  });

  async function openSale(totalUnits: number, holdMs: number): Promise<void> {
    const nowMs = clock.nowMs();
    await engine.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
      ...{ id: 'skin', title: 'Skin', totalUnits, limitUnits: 1, holdMs },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 3_600_000 },
    });
    await engine.operateSale('skin', 'publish');
  }

  async function order(buyerId: string): Promise<string | null> {
    const buyer = buyerOf(buyerId);
    const issued = await engine.issueToken('skin', buyer);
    if (issued.kind === 'refused') return null;
    const answer = await engine.purchase({ saleId: 'skin', buyer, token: issued.token, units: 1 });
    return answer.kind === 'accepted' ? answer.orderId : null;
  }

  async function orderAll(count: number): Promise<readonly string[]> {
    const orders = await Promise.all(Array.from({ length: count }, (_, index) => order(`buyer-${index}`)));
    return orders.flatMap((orderId) => orderId ?? []);
  }

  const pay = (orderId: string) =>
    engine.notePayment({ orderId, reference: `money-${orderId}`, outcome: 'paid', amount: null });

  /** How often each state is there, once nothing is under way; and that each unit is in one place. */
  async function statesOf(orderIds: readonly string[]): Promise<Readonly<Record<string, number>>> {
    await expect.poll(() => ledger.orders.listReclaiming(1), { timeout: 60_000, interval: 200 }).toEqual([]);
    const states: Record<string, number> = {};
    for (const orderId of orderIds) {
      const state = (await engine.showOrder(orderId))?.state ?? 'absent';
      states[state] = (states[state] ?? 0) + 1;
      const types = (await engine.orderHistory(orderId)).map(({ type }) => type);
      const isOnce = types.filter((type) => type === 'order.expired' || type === 'order.cancelled').length <= 1;
      expect({ state, isOnce, types }).toMatchObject({ isOnce: true });
    }
    return states;
  }

  async function placesAtRest() {
    const read = () => engine.readPlaces('skin');
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({
      kind: 'read',
      reading: { isStill: true, isBalanced: true, places: { claimed: 0, inTransit: 0 } },
    });
    const result = await read();
    if (result.kind !== 'read') throw new Error(result.kind);
    return result.reading.places;
  }

  test(
    'buys the order or claims again, two thousand times, and each unit moves once',
    async () => {
      const rounds = 2_000;
      const holdMs = 3_000;
      await openSale(rounds, holdMs);
      const startedMs = clock.nowMs();
      const orderIds = await orderAll(rounds);
      expect(orderIds).toHaveLength(rounds);
      // Orders fall due one after the other, as they were settled; the money comes as the sweeper ends them.
      await new Promise((resolve) => clock.after(Math.max(0, startedMs + holdMs - clock.nowMs()), () => resolve(null)));
      const payAll = async () => {
        for (let from = 0; from < rounds; from += 50) await Promise.all(orderIds.slice(from, from + 50).map(pay));
      };
      const buyAgain = async () => {
        for (let index = 0; index < 100; index++) await order(`rival-${index}`);
      };
      await Promise.all([payAll(), buyAgain()]);

      const states = await statesOf(orderIds);
      const { paid = 0, paid_unfulfilled = 0, ...others } = states;
      expect(others).toEqual({});
      expect(paid + paid_unfulfilled).toBe(rounds);
      const places = await placesAtRest();
      expect(places).toMatchObject({ sold: paid });
      expect(places.sold + places.held + places.available + places.free).toBe(rounds);
      // Had every order been paid or every order ended first, the two would not have met.
      const ended = await Promise.all(orderIds.map((orderId) => engine.orderHistory(orderId)));
      const expired = ended.filter((events) => events.some(({ type }) => type === 'order.expired')).length;
      expect(expired).toBeGreaterThan(0);
      expect(expired).toBeLessThan(rounds);
    },
    TIMEOUT_MS,
  );

  test(
    'and a cancel beside it end as one of the two, a thousand times (K02)',
    async () => {
      const rounds = 1_000;
      await openSale(rounds, 3_600_000);
      const orderIds = await orderAll(rounds);
      const cancel = (orderId: string) => engine.cancelOrder({ orderId, buyer: null, receipt: null });
      await Promise.all(
        orderIds.flatMap((orderId, index) =>
          index % 2 === 0 ? [pay(orderId), cancel(orderId)] : [cancel(orderId), pay(orderId)],
        ),
      );
      const { paid = 0, paid_unfulfilled = 0, ...others } = await statesOf(orderIds);
      expect(others).toEqual({});
      expect(paid + paid_unfulfilled).toBe(rounds);
      expect(await placesAtRest()).toMatchObject({ sold: paid, held: 0, available: rounds - paid });
    },
    TIMEOUT_MS,
  );
});
