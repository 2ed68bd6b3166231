/** Of a settled sale nothing is asked at its gate any more: its segments are looked at by nobody, and go by themselves. */
import { beforeEach, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { keysOf, TEST_NAMES } from '../adapters/redis/test-names.contract.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { HOME_REGION } from '../domain/inventory/quota.ts';
import { REPLAY_GRACE_MS } from '../funnel/gateway/purchase-token.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from './engine.ts';
import { buyerOf, describeOnRedis, openSale, tokenFor } from './engines-on-redis.contract.ts';

const SEGMENTS = 4;
const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

describeOnRedis('segments of a settled sale', { found: await startRedis() }, ({ server, start }) => {
  let engine: Engine;
  let aheadMs: number;

  beforeEach(async () => {
    aheadMs = 0;
    const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
    ({ engine } = await start(createMemoryLedger({ clock }), { clock }));
  });

  const listed = () => server.admin.scard(TEST_NAMES.segments);
  const keysOfSale = (id: string) => server.admin.keys(`*{*${id}:*`);
  const lifetimes = async (id: string) =>
    Promise.all((await keysOfSale(id)).toSorted().map(async (key) => server.admin.pttl(key)));
  const buy = async (id: string, buyerId: string, token: string) =>
    engine.purchase({ saleId: id, buyer: buyerOf(buyerId), token, units: 1 });

  async function settle(id: string): Promise<void> {
    await engine.operateSale(id, 'close');
    const state = async () => {
      await engine.settleSale(id);
      return (await engine.showSale(id))?.state;
    };
    await expect.poll(state, { timeout: 20_000 }).toBe('settled');
  }

  test('are looked at no more', async () => {
    for (const id of ['ended', 'living']) await openSale(engine, id, { totalUnits: 8, segments: SEGMENTS });
    expect(await listed()).toBe(2 * SEGMENTS);
    await settle('ended');
    await expect.poll(listed, { timeout: 10_000 }).toBe(SEGMENTS);
    // Nor does who looks at the queue put them in again.
    await engine.read();
    expect(await listed()).toBe(SEGMENTS);
  });

  test('go by themselves within a day, and those of a living sale stay', async () => {
    for (const id of ['ended', 'living']) await openSale(engine, id, { totalUnits: 8, segments: SEGMENTS });
    await settle('ended');
    await expect.poll(listed, { timeout: 10_000 }).toBe(SEGMENTS);
    const ended = await lifetimes('ended');
    expect(ended.length).toBeGreaterThanOrEqual(3 * SEGMENTS);
    for (const ms of ended) {
      expect(ms).toBeGreaterThan(DAY_MS - HOUR_MS);
      expect(ms).toBeLessThanOrEqual(DAY_MS);
    }
    expect(new Set(await lifetimes('living'))).toEqual(new Set([-1]));
  });

  test('are missed by nobody: who has won is told so for ever, and who has not, that it is closed', async () => {
    await openSale(engine, 'ended', { totalUnits: 8, segments: SEGMENTS });
    const [won, late] = [await tokenFor(engine, 'ended', 'ann'), await tokenFor(engine, 'ended', 'ben')];
    const first = await buy('ended', 'ann', won);
    if (first.kind !== 'accepted') throw new Error(first.reason);
    await expect.poll(() => engine.showOrder(first.orderId), { timeout: 10_000 }).toMatchObject({ state: 'pending' });
    await engine.notePayment({ orderId: first.orderId, reference: 'p', outcome: 'paid', amount: null });
    await settle('ended');
    await expect.poll(listed, { timeout: 10_000 }).toBe(0);
    const paid = { kind: 'accepted', orderId: first.orderId, status: 'paid', isReplayed: true };
    const closed = { kind: 'refused', reason: 'closed' };
    expect([await buy('ended', 'ann', won), await buy('ended', 'ben', late)]).toMatchObject([paid, closed]);

    await server.admin.unlink(...(await keysOfSale('ended')));
    expect([await buy('ended', 'ann', won), await buy('ended', 'ben', late)]).toMatchObject([paid, closed]);
    aheadMs = HOUR_MS + REPLAY_GRACE_MS + 1;
    const expired = { kind: 'refused', reason: 'token_expired' };
    expect([await buy('ended', 'ann', won), await buy('ended', 'ben', late)]).toMatchObject([paid, expired]);
    expect(await engine.readPlaces('ended')).toMatchObject({
      reading: { isBalanced: true, places: { sold: 1, free: 7 } },
    });
    expect(await keysOfSale('ended')).toEqual([]);
  });

  test('of a limit group stay: the other sales of the group count their buyers', async () => {
    for (const id of ['dragon', 'tiger'])
      await openSale(engine, id, { totalUnits: 8, segments: SEGMENTS, limitGroup: 'zodiac' });
    const [dragon, tiger] = [await tokenFor(engine, 'dragon', 'ann'), await tokenFor(engine, 'tiger', 'ann')];
    const first = await buy('dragon', 'ann', dragon);
    if (first.kind !== 'accepted') throw new Error(first.reason);
    await expect.poll(() => engine.showOrder(first.orderId), { timeout: 10_000 }).toMatchObject({ state: 'pending' });
    await engine.notePayment({ orderId: first.orderId, reference: 'p', outcome: 'paid', amount: null });
    await settle('dragon');
    await expect.poll(listed, { timeout: 10_000 }).toBe(SEGMENTS);
    const found = await server.admin.keys('*zodiac*');
    expect(found.length).toBeGreaterThan(2 * SEGMENTS);
    expect(new Set(await Promise.all(found.map((key) => server.admin.pttl(key))))).toEqual(new Set([-1]));
    // As the guide names them.
    expect(found.filter((key) => !key.startsWith('sluice:test:{group%3Azodiac:home:'))).toEqual([]);
    expect(await buy('tiger', 'ann', tiger)).toMatchObject({ kind: 'refused', reason: 'over_limit' });
  });

  test('stay when their sale sells again, because the ledger came back as it was before', async () => {
    await openSale(engine, 'back', { totalUnits: 8, segments: 1 });
    const { meta, stream } = keysOf({ saleId: 'back', region: HOME_REGION, segment: 0 }, null);
    const expire = async () => {
      for (const key of await keysOfSale('back')) await server.admin.pexpire(key, DAY_MS);
    };
    const lasts = async () => new Set(await lifetimes('back'));
    await expire();
    await engine.operateSale('back', 'pause');
    await expect.poll(lasts, { timeout: 10_000 }).toEqual(new Set([-1]));
    await expire();
    await server.admin.del(meta);
    await expect.poll(() => server.admin.exists(meta), { timeout: 10_000 }).toBe(1);
    expect(await server.admin.pttl(stream)).toBe(-1);
    expect(await lasts()).toEqual(new Set([-1]));
  });
});
