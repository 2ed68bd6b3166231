/** Sales in several segments, sold by processes without a ledger: engines of one that serves and two that work, on one Redis. */
import { beforeEach, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { keysOf, TEST_NAMES } from '../adapters/redis/test-names.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { HOME_REGION } from '../domain/inventory/quota.ts';
import { segmentOfBuyer } from '../domain/inventory/segment-of-buyer.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Engine } from './engine.ts';
import { buyerOf, describeOnRedis, openSale } from './engines-on-redis.contract.ts';

const SEGMENTS = 16;
const A_CROWD = { found: await startRedis(), timeoutMs: 300_000 };
const AT_ONCE = 300;

describeOnRedis('a sale in segments that several processes sell', A_CROWD, ({ server, start }) => {
  let ledger: Ledger;
  let serve: Engine;
  let workers: Engine[];
  /** What the process that serves asked its ledger about stock. */
  let asked: string[];

  beforeEach(async () => {
    ledger = createMemoryLedger({ clock });
    asked = [];
    const { inventoryCentre } = ledger;
    const stock: typeof inventoryCentre.stock = (...args) => {
      asked.push('stock');
      return inventoryCentre.stock(...args);
    };
    const startOne = async (works: boolean, own: Ledger) => (await start(own, { works, sharesWork: true })).engine;
    workers = [await startOne(true, ledger), await startOne(true, ledger)];
    serve = await startOne(false, { ...ledger, inventoryCentre: { ...inventoryCentre, stock } });
    await expect
      .poll(() => server.admin.pubsub('NUMSUB', TEST_NAMES.questionsChannel))
      .toEqual([TEST_NAMES.questionsChannel, 2]);
  });

  async function open(totalUnits: number, limitUnits = 1): Promise<void> {
    await openSale(serve, 'skin', { totalUnits, limitUnits, segments: SEGMENTS });
    asked = [];
  }

  /** Comes again while it is told to, and while it is not clear what became of the last time. */
  async function buy(buyerId: string, units = 1) {
    const buyer = buyerOf(buyerId);
    const issued = await serve.issueToken('skin', buyer);
    if (issued.kind === 'refused') return issued;
    for (;;) {
      const answer = await serve.purchase({ saleId: 'skin', buyer, token: issued.token, units });
      const isClear = answer.kind === 'accepted' ? answer.receipt !== null : answer.reason !== 'busy';
      if (isClear) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** So many at a time: this process is crowd, server and workers at once. */
  async function crowd(count: number, units: number) {
    const answers: Awaited<ReturnType<typeof buy>>[] = [];
    let next = 0;
    const hand = async () => {
      while (next < count) answers.push(await buy(`buyer-${next++}`, units));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hand));
    return answers;
  }

  async function expectAllHeld(units: number): Promise<void> {
    const places = async () => {
      const result = await serve.readPlaces('skin');
      return result.kind === 'read' ? result.reading.places : null;
    };
    await expect
      .poll(places, { timeout: 30_000 })
      .toMatchObject({ held: units, available: 0, free: 0, claimed: 0, inTransit: 0 });
  }

  test('sells ten thousand and seven units, all of them, to buyers who want three each', async () => {
    await open(10_007, 3);
    const answers = await crowd(3_400, 3);
    expect(asked, 'a purchase asks no ledger for stock').toEqual([]);
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(3_335);
    const reasons = new Set(answers.flatMap((answer) => (answer.kind === 'refused' ? [answer.reason] : [])));
    expect([...reasons]).toEqual(['not_enough_left']);
    // Two are left, wherever they are, for whoever asks for no more.
    const last = await Promise.all(['x', 'y', 'z'].map((id) => buy(id)));
    expect(last.map((answer) => (answer.kind === 'accepted' ? 'sold' : answer.reason)).sort()).toEqual([
      ...['none_left_now', 'sold', 'sold'],
    ]);
    await expectAllHeld(10_007);
  });

  test('sells the last units of all segments to the buyers of one', async () => {
    await open(SEGMENTS);
    const ids = Array.from({ length: 1_000 }, (_, number) => `neighbour-${number}`);
    const neighbours = ids.filter((id) => segmentOfBuyer('skin', id, SEGMENTS) === 3).slice(0, SEGMENTS + 4);
    const answers = await Promise.all(neighbours.map((id) => buy(id)));
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(SEGMENTS);
    expect(asked).toEqual([]);
    await expectAllHeld(SEGMENTS);
  });

  test('sells a unit that came back in another segment within a second', async () => {
    await open(1, 1);
    const ids = Array.from({ length: 200 }, (_, number) => `far-${number}`);
    const inSegment = (segment: number) => ids.find((id) => segmentOfBuyer('skin', id, SEGMENTS) === segment) ?? '';
    const won = await buy(inSegment(0));
    if (won.kind !== 'accepted') throw new Error(won.reason);
    expect(await buy(inSegment(9))).toMatchObject({ reason: 'none_left_now' });
    await expect.poll(() => ledger.orders.find(won.orderId)).toMatchObject({ state: 'pending' });
    expect(await serve.cancelOrder({ orderId: won.orderId, buyer: null, receipt: null })).toMatchObject({
      kind: 'cancelled',
    });
    await expect.poll(async () => (await buy(inSegment(9))).kind, { timeout: 1_500, interval: 20 }).toBe('accepted');
  });

  test('is not balanced when somebody has written to two gates, so that their sum is right (K18)', async () => {
    await open(160);
    const isBalanced = async () => {
      const result = await serve.readPlaces('skin');
      return result.kind === 'read' && result.reading.isBalanced;
    };
    expect(await isBalanced()).toBe(true);
    const metaOf = (segment: number) => keysOf({ saleId: 'skin', region: HOME_REGION, segment }, null).meta;
    await server.admin.hincrby(metaOf(3), 'available:main', 7);
    await server.admin.hincrby(metaOf(4), 'available:main', -7);
    expect(await isBalanced()).toBe(false);
  });

  test('is settled by a worker that is alone when the other has gone', async () => {
    await open(64);
    await Promise.all(Array.from({ length: 32 }, (_, number) => buy(`early-${number}`)));
    await workers[0]?.stop();
    await Promise.all(Array.from({ length: 32 }, (_, number) => buy(`late-${number}`)));
    await expectAllHeld(64);
  });
});
