import type { AddressInfo } from 'node:net';
import { Value } from 'typebox/value';
import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createJwtIdentity } from '../adapters/system/identity.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { buildEngine } from '../compose/build-engine.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { PurchaseAccepted, PurchaseRequest } from '../funnel/purchase.ts';
import type { ServedEngine } from '../http/deps.ts';
import { createHttpServer } from '../http/server.ts';
import type { ViolationName } from './check-books.ts';
import { CannotRush, type RushOptions, type RushReport, runRush } from './rush.ts';
import { RUSH_DOCUMENT, rushDocument } from './rush-document.ts';

const KEY = 'a-key-for-tests-that-is-long-enough-to-be-one';
const SERVER_KEY = `${KEY}-of-the-back-end`;
const { newId } = createIdSource();
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** An error, built into an engine. */
type Plant = (engine: ServedEngine) => Partial<ServedEngine>;

/** A deployment in this process. */
async function serve(plant: Plant = () => ({})): Promise<string> {
  const idSource = createIdSource();
  const { gate, queue } = createMemoryStore({ clock, idSource });
  const fail = (error: unknown) => {
    throw error;
  };
  const engine = buildEngine({
    ...{ clock, idSource, gate, queue, feed: createMemoryOrderFeed(), ledger: createMemoryLedger({ clock }) },
    ...{ signer: createSigner([{ id: 'k', secret: Buffer.from(KEY) }]), onFault: fail, onCrash: fail },
  });
  await engine.start();
  closers.push(() => engine.stop());
  const served: ServedEngine = { ...engine, ...plant(engine) };
  const app = createHttpServer({
    ...{
      engine: served,
      clock,
      adminKey: KEY,
      serverKey: SERVER_KEY,
      isReady: () => true,
      logger: false,
      trustedProxies: ['127.0.0.0/8'],
    },
    identity: createJwtIdentity({ secret: KEY, buyerClaim: 'sub' }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  closers.push(() => app.close());
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

function rushAt(url: string, options: Partial<RushOptions> = {}): Promise<RushReport> {
  return runRush({
    ...{ url, adminUrl: url, adminKey: KEY, jwtKey: KEY, buyerClaim: 'sub' },
    ...{ sale: { kind: 'fresh', stock: 50, limit: 1 }, buyers: 200, units: 1 },
    ...{ overMs: 200, profile: 'herd', bots: 0, connections: 40 },
    ...{ doubleClicks: 0.25, retries: 0.5, secondTokens: 0.4, patienceMs: 5_000, seed: 7 },
    ...options,
  });
}

function namesOf(report: RushReport): readonly string[] {
  return report.violations.map(({ name }) => name);
}

describe('a rush at a deployment that keeps its promises', () => {
  const crowds: readonly Partial<RushOptions>[] = [
    { sale: { kind: 'fresh', stock: 50, limit: 1 } },
    { sale: { kind: 'fresh', stock: 0, limit: 1 }, buyers: 20 },
    { sale: { kind: 'fresh', stock: 1, limit: 1 } },
    { sale: { kind: 'fresh', stock: 50, limit: 3 }, units: 2 },
    { sale: { kind: 'fresh', stock: 50, limit: 3 }, units: 3 },
    { sale: { kind: 'fresh', stock: 50, limit: 4 }, units: 2 },
    { sale: { kind: 'fresh', stock: 50, limit: 1 }, units: 100 },
    { sale: { kind: 'fresh', stock: 1_000, limit: 1 } },
  ];
  const accepted = [50, 0, 1, 25, 16, 25, 0, 200];

  test.each(crowds.map((crowd, index) => [JSON.stringify(crowd), crowd, accepted[index]] as const))(
    '%s finds nothing wrong',
    async (_name, crowd, orders) => {
      const report = await rushAt(await serve(), crowd);
      expect(report.violations).toEqual([]);
      expect(report.orders).toBe(orders);
      expect(report.places.balanced).toBe(true);
      expect(Object.values(report.outcomes).reduce((sum, count) => sum + count, 0)).toBe(report.buyers);
    },
  );

  const payments = { serverKey: SERVER_KEY, neverPay: 0.2, payLate: 0.2, cancel: 0.1 };
  const living: Partial<RushOptions> = {
    buyers: 120,
    payments,
    sale: { kind: 'fresh', stock: 40, limit: 1, holdMs: 3_000 },
  };

  test('sees orders live on: units that were not paid are sold again, and late money gets what is left', async () => {
    const report = await rushAt(await serve(), living);
    expect(report.violations).toEqual([]);
    const { paid, neverPaid, paidLate, cancelled, refundDue, resold, repeated } = report.payments;
    expect(paid + neverPaid + paidLate + cancelled).toBe(report.orders);
    for (const count of [paid, neverPaid, paidLate, cancelled, refundDue, resold, repeated]) {
      expect(count).toBeGreaterThan(0);
    }
    expect(report.places).toMatchObject({ sold: 40, available: 0, held: 0, balanced: true });
  });

  test('sees late money get a unit while there is one', async () => {
    const report = await rushAt(await serve(), {
      ...{ ...living, buyers: 40, sale: { kind: 'fresh', stock: 100, limit: 1, holdMs: 3_000 } },
    });
    expect(report.violations).toEqual([]);
    expect(report.payments).toMatchObject({ refundDue: 0, resold: 0 });
    expect(report.places.sold).toBe(report.payments.paid + report.payments.paidLate);
  });

  test('waits until it is ready', async () => {
    let refusals = 20;
    const url = await serve(({ purchase }) => ({
      purchase: async (request) => (refusals-- > 0 ? refuse('busy', { retryAfterMs: 10 }) : purchase(request)),
    }));
    const report = await rushAt(url, { buyers: 60 });
    expect(report.violations).toEqual([]);
    expect(report.repeated).toBeGreaterThanOrEqual(20);
  });

  test('lets a buyer give up who is always told to come again, when nothing is left for them', async () => {
    const url = await serve(({ purchase }) => ({
      purchase: async (request) =>
        request.buyer.buyerId.endsWith('-9') ? refuse('busy', { retryAfterMs: 100 }) : purchase(request),
    }));
    const report = await rushAt(url, {
      patienceMs: 1_500,
      secondTokens: 0,
      sale: { kind: 'fresh', stock: 199, limit: 1 },
    });
    expect(report.violations).toEqual([]);
    expect(report.outcomes).toEqual({ accepted: 199, gave_up: 1 });
    expect(report.funnel).toMatchObject({ won: 199, limits: 1 });
  });

  test('finds a win whose answer never came', async () => {
    const claimed = new Set<string>();
    const url = await serve(({ purchase }) => ({
      async purchase(request) {
        if (!claimed.has(request.token)) await purchase(request);
        claimed.add(request.token);
        return refuse('busy', { retryAfterMs: 100 });
      },
    }));
    const report = await rushAt(url, { patienceMs: 500, buyers: 20, retries: 0, doubleClicks: 0, secondTokens: 0 });
    expect(report.violations).toEqual([]);
    expect(report.outcomes).toEqual({ accepted: 20 });
  });

  test('gives bots no more than their limit, whatever they do', async () => {
    const report = await rushAt(await serve(), {
      ...{ buyers: 100, profile: 'bots', bots: 0.2, sale: { kind: 'fresh', stock: 1_000, limit: 2 } },
      ...{ secondTokens: 0, overMs: 300 },
    });
    expect(report.violations).toEqual([]);
    const bots = (report.attempts - report.buyers) / 39;
    expect(bots).toBeGreaterThan(5);
    expect(report.units).toBe(report.buyers + bots);
  });

  test('sends each buyer when they meant to come, and counts from then', async () => {
    const SLOW_MS = 20;
    const url = await serve(({ issueToken }) => ({
      async issueToken(saleId, buyer) {
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
        return issueToken(saleId, buyer);
      },
    }));
    const alone = { secondTokens: 0, doubleClicks: 0, retries: 0, buyers: 50 };
    const report = await rushAt(url, { ...alone, overMs: 0, connections: 1 });
    expect(report.violations).toEqual([]);
    // One socket, and all at once: the last of fifty has waited for the others.
    expect(report.latencyMs.token.max).toBeGreaterThan(50 * SLOW_MS);
    expect(report.latencyMs.token.p50).toBeGreaterThan(20 * SLOW_MS);
    const spread = await rushAt(url, { ...alone, overMs: 1_500, profile: 'steady' });
    expect(spread.durationMs).toBeGreaterThan(1_400);
    expect(spread.latencyMs.visit.count).toBe(50);
  });

  test('reports in the document that it promises to programs', async () => {
    const url = await serve();
    const quiet = rushDocument(await rushAt(url));
    expect(Object.keys(quiet)).toEqual([
      ...['buyers', 'attempts', 'outcomes', 'latencyMs', 'lagMs', 'orders', 'places', 'violations'],
    ]);
    expect([...Value.Errors(RUSH_DOCUMENT, quiet)]).toEqual([]);
    const { latencyMs, ...rest } = quiet;
    expect(Value.Check(RUSH_DOCUMENT, rest)).toBe(false);
    expect(Value.Check(RUSH_DOCUMENT, { ...quiet, more: 1 })).toBe(false);
    expect(latencyMs.accepted.count).toBeGreaterThanOrEqual(50);
    const broken = { ...quiet, violations: [{ name: 'oversold', count: 1, example: 'one' }] };
    expect(Value.Check(RUSH_DOCUMENT, broken)).toBe(true);
    expect(Value.Check(RUSH_DOCUMENT, { ...quiet, violations: [{ name: 'bad', count: 1, example: '' }] })).toBe(false);
  });

  test('says clearly why it cannot begin', async () => {
    const url = await serve();
    await expect(rushAt(url, { adminKey: 'another' })).rejects.toThrow(CannotRush);
    await expect(rushAt(url, { sale: { kind: 'existing', id: 'no-such-sale' } })).rejects.toThrow(/not_found/);
    await expect(rushAt(url, { sale: { kind: 'existing', id: 'no such' } })).rejects.toThrow(CannotRush);
    await expect(rushAt('http://127.0.0.1:1', { patienceMs: 300 })).rejects.toThrow(/does not answer/);
  });
});

describe('a rush finds it when', () => {
  /** Changes what a purchase answers; null leaves it. */
  function plantedPurchase(
    change: (answer: PurchaseAccepted | Refusal, request: PurchaseRequest, engine: ServedEngine) => unknown,
  ): Plant {
    return (engine) => ({
      async purchase(request) {
        const answer = await engine.purchase(request);
        return ((await change(answer, request, engine)) ?? answer) as PurchaseAccepted | Refusal;
      },
    });
  }

  /** Takes a unit for nobody. */
  async function waste(engine: ServedEngine, saleId: string): Promise<void> {
    const buyer = { buyerId: `nobody-${Math.random()}`, region: 'home', channel: 'main' };
    const issued = await engine.issueToken(saleId, buyer);
    if (issued.kind === 'issued') await engine.purchase({ saleId, buyer, units: 1, token: issued.token });
  }

  function everyNth(n: number): () => boolean {
    let calls = 0;
    return () => ++calls % n === 0;
  }

  const plants: Readonly<Record<string, readonly [Plant, ViolationName]>> = {
    'the limit is ignored': [
      ({ createSale, showSale }) => ({
        createSale: (draft) => createSale({ ...draft, limitUnits: 10 }),
        async showSale(saleId) {
          const sale = await showSale(saleId);
          return sale && { ...sale, limitUnits: 1 };
        },
      }),
      'over_limit',
    ],
    'more is accepted than there is': [
      plantedPurchase((answer, { units }) =>
        answer.kind === 'refused' && answer.reason === 'none_left_now'
          ? { kind: 'accepted', orderId: newId(), status: 'pending', units, isReplayed: false, receipt: 'r' }
          : null,
      ),
      'oversold',
    ],
    'every order is made twice': [
      plantedPurchase((answer, { saleId }, engine) =>
        answer.kind === 'accepted' && !answer.isReplayed ? waste(engine, saleId) : null,
      ),
      'places_differ',
    ],
    'an accepted order is not there': [
      ({ findOrder }) => {
        const isHidden = everyNth(10);
        return { findOrder: async (orderId, buyer) => (isHidden() ? null : findOrder(orderId, buyer)) };
      },
      'order_missing',
    ],
    'an order has other units than were accepted': [
      ({ findOrder }) => ({
        async findOrder(orderId, buyer) {
          const order = await findOrder(orderId, buyer);
          return order && { ...order, units: order.units + 1 };
        },
      }),
      'order_differs',
    ],
    'two buyers get one order': [
      ({ purchase }) => {
        let firstId: string | null = null;
        return {
          async purchase(request) {
            const answer = await purchase(request);
            if (answer.kind !== 'accepted') return answer;
            firstId ??= answer.orderId;
            return { ...answer, orderId: firstId };
          },
        };
      },
      'order_shared',
    ],
    'a refused call takes a unit': [
      plantedPurchase((answer, { saleId }, engine) =>
        answer.kind === 'refused' && answer.reason === 'over_limit' ? waste(engine, saleId) : null,
      ),
      'units_stranded',
    ],
    'the last units are not sold': [
      ({ purchase }) => {
        const taken = new Set<string>();
        return {
          async purchase(request) {
            if (taken.size >= 47 && !taken.has(request.token)) return refuse('none_left_now');
            const answer = await purchase(request);
            if (answer.kind === 'accepted') taken.add(request.token);
            return answer;
          },
        };
      },
      'units_stranded',
    ],
    'a repeat is told it has failed': [
      plantedPurchase((answer) => (answer.kind === 'accepted' && answer.isReplayed ? refuse('sold_out') : null)),
      'replay_differs',
    ],
    'a repeat gets another order': [
      plantedPurchase((answer) =>
        answer.kind === 'accepted' && answer.isReplayed ? { ...answer, orderId: newId() } : null,
      ),
      'replay_differs',
    ],
    'a token gets the order of another': [
      plantedPurchase((answer) => (answer.kind === 'accepted' ? { ...answer, orderId: newId() } : null)),
      'token_two_orders',
    ],
    'a receipt is worth nothing': [
      ({ purchase }) => {
        const queued = new Set<string>();
        return {
          async purchase(request) {
            if (queued.has(request.token)) return refuse('sold_out');
            const answer = await purchase(request);
            if (answer.kind !== 'accepted' || queued.size > 2) return answer;
            queued.add(request.token);
            return { ...answer, status: 'queued', receipt: 'r' };
          },
        };
      },
      'win_lost',
    ],
    'the places do not sum up': [
      ({ readPlaces }) => ({
        async readPlaces(saleId) {
          const result = await readPlaces(saleId);
          if (result.kind !== 'read') return result;
          const { places } = result.reading;
          return { ...result, reading: { ...result.reading, places: { ...places, held: places.held + 1 } } };
        },
      }),
      'books_unbalanced',
    ],
    'a request breaks': [
      ({ purchase }) => {
        const isBroken = everyNth(20);
        return {
          async purchase(request) {
            if (isBroken()) throw new Error('broken');
            return purchase(request);
          },
        };
      },
      'server_error',
    ],
    'everybody is told to come again while there are units': [
      ({ purchase }) => {
        let calls = 0;
        return {
          purchase: async (request) => (++calls > 20 ? refuse('busy', { retryAfterMs: 100 }) : purchase(request)),
        };
      },
      'units_stranded',
    ],
    'an order stays queued, and is not there': [
      ({ purchase }) => ({
        async purchase(request) {
          const answer = await purchase(request);
          return answer.kind === 'accepted' ? { ...answer, status: 'queued' } : answer;
        },
        findOrder: async () => null,
      }),
      'unanswered',
    ],
    'an accepted order can be read only later': [
      ({ findOrder }) => {
        const asked = new Set<string>();
        return {
          async findOrder(orderId, buyer) {
            if (asked.has(orderId)) return findOrder(orderId, buyer);
            asked.add(orderId);
            return null;
          },
        };
      },
      'order_unreadable',
    ],
    'one order is dropped': [
      ({ findOrder }) => {
        let droppedId: string | null = null;
        return {
          async findOrder(orderId, buyer) {
            droppedId ??= orderId;
            return orderId === droppedId ? null : findOrder(orderId, buyer);
          },
        };
      },
      'order_missing',
    ],
    'a unit is counted twice': [
      ({ readPlaces }) => ({
        async readPlaces(saleId) {
          const result = await readPlaces(saleId);
          if (result.kind !== 'read' || result.reading.places.held === 0) return result;
          const { places } = result.reading;
          // Where nothing moves: nobody waits for it to arrive.
          const counted = { ...places, held: places.held - 1, quarantined: places.quarantined + 1 };
          return { ...result, reading: { ...result.reading, places: counted } };
        },
      }),
      'places_differ',
    ],
  };

  const lifePlants: Readonly<Record<string, readonly [Plant, ViolationName]>> = {
    'a payment is forgotten': [
      ({ notePayment, showOrder }) => ({
        async notePayment(notice) {
          const payment = { ...notice, state: 'applied' } as const;
          if (Math.random() < 0.7) return notePayment(notice);
          return { kind: 'noted', payment, order: await showOrder(notice.orderId), isRepeated: false };
        },
      }),
      'order_state_differs',
    ],
    'a notice is taken twice': [
      ({ notePayment }) => ({
        async notePayment(notice) {
          const noted = await notePayment(notice);
          return noted.kind === 'noted' ? { ...noted, isRepeated: false } : noted;
        },
      }),
      'payment_differs',
    ],
    'a cancelled order stays': [
      ({ showOrder }) => ({
        async cancelOrder({ orderId }) {
          const order = await showOrder(orderId);
          return order ? { kind: 'cancelled', order, isRepeated: false } : refuse('not_found');
        },
      }),
      'order_state_differs',
    ],
    'late money is sent back although there are units': [
      ({ findOrder }) => ({
        async findOrder(orderId, buyer) {
          const order = await findOrder(orderId, buyer);
          return order?.state === 'paid' ? { ...order, state: 'paid_unfulfilled' } : order;
        },
      }),
      'refund_without_need',
    ],
    'what came back is not sold again': [
      ({ purchase }) => {
        const taken = new Set<string>();
        return {
          async purchase(request) {
            if (taken.size >= 20 && !taken.has(request.token)) return refuse('none_left_now');
            const answer = await purchase(request);
            if (answer.kind === 'accepted') taken.add(request.token);
            return answer;
          },
        };
      },
      'units_stranded',
    ],
  };

  test.each(Object.entries(lifePlants))('%s', async (_name, [plant, violation]) => {
    const stock = violation === 'refund_without_need' ? 90 : 20;
    const report = await rushAt(await serve(plant), {
      ...{ buyers: 80, patienceMs: 3_000, sale: { kind: 'fresh', stock, limit: 1, holdMs: 1_000 } },
      payments: { serverKey: SERVER_KEY, neverPay: 0.2, payLate: 0.2, cancel: 0.2 },
    });
    expect(namesOf(report)).toContain(violation);
  });

  test('a bot gets more than its limit', async () => {
    const report = await rushAt(await serve(plants['the limit is ignored']?.[0]), {
      buyers: 40,
      profile: 'bots',
      bots: 0.2,
      secondTokens: 0,
      sale: { kind: 'fresh', stock: 1_000, limit: 1 },
    });
    expect(namesOf(report)).toContain('over_limit');
  });

  test.each(Object.entries(plants))('%s', async (_name, [plant, violation]) => {
    const report = await rushAt(await serve(plant), { patienceMs: 1_500 });
    expect(namesOf(report)).toContain(violation);
  });
});
