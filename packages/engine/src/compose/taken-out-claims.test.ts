/** What was set aside of a queue in Redis, and what a person makes of it: each claim ends once, and its units are somewhere. */
import { beforeEach, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import type { RedisStore } from '../adapters/redis/store.ts';
import { keysOf } from '../adapters/redis/test-names.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { HOME_REGION } from '../domain/inventory/quota.ts';
import { claimId } from '../domain/order/claim.ts';
import { unreadId } from '../ports/quarantine.ts';
import type { UnreadEntry } from '../ports/queue.ts';
import type { Engine } from './engine.ts';
import { buyerOf, describeOnRedis, openSale, tokenFor } from './engines-on-redis.contract.ts';

const SALE = 'skin';
const segment = { saleId: SALE, region: HOME_REGION, segment: 0 };

describeOnRedis('of a queue in Redis, what was set aside', { found: await startRedis() }, ({ server, start }) => {
  let ledger: ReturnType<typeof createMemoryLedger>;
  let store: RedisStore;
  let serve: Engine;

  beforeEach(async () => {
    ledger = createMemoryLedger({ clock });
    ({ engine: serve, store } = await start(ledger, { works: false }));
    await openSale(serve, SALE, { totalUnits: 2, segments: 1 });
  });

  async function buy(buyerId: string): Promise<string> {
    const token = await tokenFor(serve, SALE, buyerId);
    const answer = await serve.purchase({ saleId: SALE, buyer: buyerOf(buyerId), token, units: 1 });
    if (answer.kind === 'refused') throw new Error(answer.reason);
    return answer.orderId;
  }
  /** The only entry of the queue, as it would be buried: out of the queue, and in the ledger. */
  async function bury(): Promise<UnreadEntry> {
    const { stream } = keysOf(segment, null);
    const [[id = '', fields = []] = []] = await server.admin.xrange(stream, '-', '+');
    await server.admin.xdel(stream, id);
    const entry = { segment, id, text: fields.join(' ') };
    await ledger.quarantine.keep([entry]);
    return entry;
  }
  const places = async () => {
    const read = await serve.readPlaces(SALE);
    return read.kind === 'read' ? { isBalanced: read.reading.isBalanced, ...read.reading.places } : null;
  };

  test('an entry that can be read now is settled, once, also when its claim has come back by itself', async () => {
    const orderId = await buy('ann with a space');
    const entry = await bury();
    const done = { kind: 'done', order: { orderId, state: 'pending' }, isRepeated: false };
    expect(await serve.quarantine.replay(unreadId(entry))).toMatchObject(done);
    expect(await serve.quarantine.replay(unreadId(entry))).toEqual({ kind: 'absent' });
    await ledger.quarantine.keep([entry]);
    expect(await serve.quarantine.replay(unreadId(entry))).toMatchObject({ ...done, isRepeated: true });
    await start(ledger);
    await expect.poll(places, { timeout: 10_000 }).toMatchObject({ isBalanced: true, held: 1, available: 1 });
    expect((await serve.listOrders({}, null, 10)).orders).toHaveLength(1);
  });

  test('an entry that its gate knows nothing of sells nothing', async () => {
    await buy('ann');
    const entry = await bury();
    const forged = { ...entry, id: '1-77', text: entry.text.replace(' b ann ', ' b eve ') };
    const garbage = { ...entry, id: '1-78', text: 'hello' };
    await ledger.quarantine.keep([forged, garbage]);
    for (const [each, why] of [
      [forged, expect.stringContaining('nothing may be sold for it')],
      [garbage, expect.stringContaining('cannot be read')],
    ] as const) {
      expect(await serve.quarantine.replay(unreadId(each))).toEqual({ kind: 'stays', why });
      expect(await serve.quarantine.drop(unreadId(each))).toMatchObject({ kind: 'done', order: null });
    }
    expect((await serve.listOrders({}, null, 10)).orders).toEqual([]);
  });

  test('a claim is settled, or its units are sold again to somebody else', async () => {
    const orders = [await buy('ann'), await buy('ben')];
    const [ann, ben] = (await store.queue.peek(segment)).map(({ claim }) => claim);
    if (!ann || !ben) throw new Error('both are queued');
    for (const claim of [ann, ben]) await ledger.settlement.quarantine(claim, 'by hand');
    await store.queue.remove([ann, ben]);
    await start(ledger);
    expect(await places()).toMatchObject({ quarantined: 2 });

    expect(await serve.quarantine.replay(claimId(ann))).toMatchObject({
      order: { orderId: orders[0], state: 'pending' },
    });
    expect(await serve.quarantine.drop(claimId(ben))).toMatchObject({
      order: { orderId: orders[1], state: 'refused', refusal: 'dropped' },
    });
    await expect.poll(places, { timeout: 10_000 }).toMatchObject({ isBalanced: true, held: 1, available: 1 });
    // His limit is free again, too.
    await buy('ben');
    await expect.poll(places, { timeout: 10_000 }).toMatchObject({ isBalanced: true, held: 2, available: 0 });
  });
});
