/** Somebody removes what is in the queue of a sale, by hand: each claim that was answered ends as exactly one order all the same. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../adapters/redis/redis-server.contract.ts';
import { keysOf } from '../adapters/redis/test-names.contract.ts';
import { openRedisWorld, type RedisWorld } from './redis-world.contract.ts';

const found = await startRedis();

describe.skipIf('missing' in found)('what is removed from a queue by hand', { timeout: 60_000 }, () => {
  const server = (): RedisServer => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  let world: RedisWorld;
  const { stream, again } = keysOf({ saleId: 'sale', region: 'home', segment: 0 }, null);
  beforeEach(async () => {
    await server().admin.flushall();
    world = await openRedisWorld(server().url);
    await world.sale('sale', 20);
  });
  afterEach(() => world.close());
  afterAll(() => ('missing' in found ? undefined : found.server.stop()));

  const win = async (buyers: readonly string[]) => {
    for (const buyer of buyers) expect(await world.buyPatiently('sale', buyer)).toBe('claimed');
  };
  const endsWith = async (orders: number) => {
    await expect
      .poll(
        async () => {
          await world.settle();
          return world.sold('sale');
        },
        { timeout: 20_000 },
      )
      .toBe(orders);
    expect(await world.missing()).toEqual([]);
    await expect.poll(() => world.balanced('sale'), { timeout: 10_000 }).toBe(true);
    await world.settle();
    expect(await server().admin.xlen(stream)).toBe(0);
    expect(await server().admin.hlen(again)).toBe(0);
  };

  test('P14: entries, read or not, come back as the claims they were', async () => {
    await win(['a', 'b', 'c', 'd']);
    expect(await world.store.queue.read('dead', 2)).toHaveLength(2);
    const ids = (await server().admin.xrange(stream, '-', '+')).map(([id]) => id);
    await server().admin.xdel(stream, ids[0] ?? '', ids[2] ?? '');
    await win(['e']);
    await endsWith(5);
  });

  test('P14: of a claim that is in the ledger, does not come back', async () => {
    await win(['a']);
    await world.settle();
    await endsWith(1);
    expect(await world.settle()).toEqual([]);
  });

  test('P14: the whole stream: the sale sells again, and every claim comes back', async () => {
    await win(['a', 'b', 'c', 'd']);
    expect(await world.store.queue.read('dead', 2)).toHaveLength(2);
    await server().admin.del(stream);
    await win(['e', 'f']);
    await endsWith(6);
  });

  test('the group of its readers: it is made again, and nothing is passed over', async () => {
    await win(['a', 'b', 'c']);
    expect(await world.store.queue.read('dead', 2)).toHaveLength(2);
    await server().admin.xgroup('DESTROY', stream, 'workers');
    await win(['d']);
    await endsWith(4);
  });

  test.each([
    ['of nothing we know', ['hello', 'world']],
    ['without a buyer', ['o', 'x', 'u', '1', 'q', 'main', 't', '1']],
    ['of half a unit', ['o', 'x', 'b', 'y', 'u', '0.5', 'q', 'main', 't', '1']],
    ['of no units', ['o', 'x', 'b', 'y', 'u', '0', 'q', 'main', 't', '1']],
    ['whose words cannot be written', ['o', '%zz', 'b', 'y', 'u', '1', 'q', '%ff', 't', '1']],
    ['whose words are far too long', ['o', 'x'.repeat(100_000), 'b', 'y', 'u', '1', 'q', 'main', 't', '1']],
    ['whose place is none', ['o', 'x', 'b', 'y', 'u', '1', 'q', 'main', 't', '1', 'p', '1-1-1']],
  ])('L14: an entry %s is set aside, and holds up no other', async (_name, fields) => {
    await win(['a', 'b']);
    await server().admin.xadd(stream, '1-500', ...fields);
    await win(['c']);
    await endsWith(3);
    const [unread] = await world.store.queue.unread();
    expect(unread).toMatchObject({ segment: { saleId: 'sale' }, id: '1-500' });
    expect(unread?.text).toBe(fields.join(' ').slice(0, 2_000));
    await world.store.queue.forget([
      { segment: { saleId: 'sale', region: 'home', segment: 0 }, id: '1-500', text: '' },
    ]);
    expect(await world.store.queue.unread()).toEqual([]);
  });

  test('L14: an entry that was damaged is set aside, and its claim comes back from its mark', async () => {
    await win(['a', 'b']);
    const [[id = '', fields = []] = []] = await server().admin.xrange(stream, '-', '+');
    await server().admin.del(stream);
    await server().admin.xadd(stream, id, ...fields.map((each) => each.replace(/^\d+ /, 'many ')));
    await endsWith(2);
    expect(await world.store.queue.unread()).toHaveLength(1);
  });

  test('an id that somebody made up, far ahead of all of ours, ends no sale', async () => {
    await win(['a', 'b']);
    await server().admin.xadd(stream, '*', 'hello', 'world');
    await win(['c', 'd']);
    await endsWith(4);
  });

  test('where entries are that were queued again: they are found by reading them', async () => {
    await win(['a', 'b']);
    await server().admin.xdel(stream, '1-1');
    await expect.poll(() => server().admin.hlen(again), { timeout: 10_000 }).toBe(1);
    await server().admin.del(again);
    await endsWith(2);
  });
});
