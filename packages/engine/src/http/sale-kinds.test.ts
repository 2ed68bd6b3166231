import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryWallet } from '../adapters/memory/wallet.ts';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

const ITEMS = [
  { itemId: 'sword', quantity: 1 },
  { itemId: '=potion', quantity: 5 },
];

let world: HttpWorld;
afterEach(() => world.close());

const create = (more: object) =>
  world.call('POST', '/v1/admin/sales', { admin: true, body: { ...world.draftOf('kind'), ...more } });

async function buyOne(saleId: string, buyer: string) {
  const bought = await world.buy(saleId, buyer, await world.tokenFor(saleId, buyer));
  expect(bought.status).toBe(202);
  return bought.json;
}

describe('a sale over HTTP', () => {
  beforeEach(async () => {
    world = await newHttpWorld();
  });

  test('with a price says it, and an order says what it costs and delivers', async () => {
    const price = { amount: 4_900, currency: 'CNY' };
    await world.openSale('skin', { kind: 'limited_skin', items: ITEMS, price });
    const sale = await world.call('GET', '/v1/sales/skin');
    expect(sale.json).toMatchObject({ kind: 'limited_skin', items: ITEMS, price });
    const bought = await world.buy('skin', 'ann', await world.tokenFor('skin', 'ann'), 2);
    const { orderId } = bought.json;
    const order = await world.call('GET', `/v1/orders/${orderId}`, { as: 'ann' });
    const twice = ITEMS.map(({ itemId, quantity }) => ({ itemId, quantity: 2 * quantity }));
    expect(order.json).toMatchObject({ kind: 'limited_skin', items: twice, cost: { amount: 9_800, currency: 'CNY' } });
    const csv = await world.call('GET', '/v1/admin/sales/skin/orders?format=csv', { admin: true });
    expect(csv.text).toContain(`,limited_skin,2 sword; 10 =potion,9800,CNY\r\n`);

    const pay = (amount: number) =>
      world.call('POST', `/v1/orders/${orderId}/payment`, {
        ...{ server: true, body: { reference: 'pay-1', outcome: 'paid', amount } },
      });
    const wrong = await pay(4_900);
    expect([wrong.status, wrong.json.reason, wrong.json.detail]).toEqual([
      ...[422, 'amount_differs', 'The order costs 9800, not 4900.'],
    ]);
    expect((await pay(9_800)).json).toMatchObject({ payment: 'applied', status: 'paid' });
  });

  test('that is a gift is paid at once', async () => {
    await world.openSale('gift', { kind: 'gift_pack', items: ITEMS });
    const { orderId, status } = await buyOne('gift', 'ann');
    expect(status).toBe('paid');
    const order = await world.call('GET', `/v1/orders/${orderId}`, { as: 'ann' });
    expect(order.json).toMatchObject({ kind: 'gift_pack', items: ITEMS, cost: null, dueAtMs: null });
    const places = await world.call('GET', '/v1/admin/sales/gift/places', { admin: true });
    expect(places.json).toMatchObject({ held: 0, sold: 1, balanced: true });
  });

  test.each([
    [{ kind: 'gift_pack', price: { points: 3 } }, 'A gift_pack has no price.'],
    [{ kind: 'exchange' }, 'The price of an exchange is a number of points.'],
    [{ price: { points: 3 } }, 'The price of a limited_skin is an amount and its currency, or none.'],
    [
      { timeZone: 'Mars/Olympus' },
      'timeZone Mars/Olympus is not known here; it is an IANA name such as Asia/Shanghai.',
    ],
    [{ startsAt: '2026-11-11T10:00' }, 'Say startsAt or startsAtMs, not both.'],
    [{ startsAtMs: undefined }, 'startsAtMs or startsAt is missing.'],
  ])('whose parts do not go together is refused with a sentence: %j', async (more, sentence) => {
    const refused = await create(more);
    expect([refused.status, refused.json.reason, refused.json.detail]).toEqual([400, 'bad_request', sentence]);
  });

  test.each([
    [{ kind: 'auction' }, /kind/],
    [{ items: [] }, /items/],
    [{ items: Array.from({ length: 21 }, (_, at) => ({ itemId: `i${at}`, quantity: 1 })) }, /items/],
    [{ items: [{ itemId: 'x', quantity: 0 }] }, /quantity/],
    [{ price: { amount: 49.5, currency: 'CNY' } }, /amount/],
    [{ price: { amount: 49, currency: 'yuan' } }, /currency/],
    [{ price: { amount: 49, currency: 'CNY', tax: 1 } }, /tax/],
  ])('is held to its schema: %j', async (more, message) => {
    const refused = await create(more);
    expect(refused.status).toBe(400);
    expect(refused.json.detail).toMatch(message);
  });

  test('starts when the clocks of its zone say so, and never by a guess (K36)', async () => {
    const at = (startsAt: string, timeZone = 'America/New_York') =>
      create({ startsAtMs: undefined, endsAtMs: undefined, startsAt, endsAt: '2026-12-01T00:00', timeZone });
    const twice = await at('2026-11-01T01:30');
    expect(twice.json.detail).toMatch(/2026-11-01T01:30:00-04:00 or 2026-11-01T01:30:00-05:00/);
    const never = await at('2026-03-08T02:30');
    expect(never.json.detail).toMatch(/2026-03-08T01:30:00-05:00 or 2026-03-08T03:30:00-04:00/);
    const made = await at('2026-11-01T01:30:00-04:00');
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      ...{ startsAtMs: Date.parse('2026-11-01T05:30:00Z'), startsAt: '2026-11-01T01:30:00-04:00' },
      ...{ endsAtMs: Date.parse('2026-12-01T05:00:00Z'), timeZone: 'America/New_York' },
    });

    const patch = (body: object) => world.call('PATCH', '/v1/admin/sales/kind', { admin: true, body });
    const moved = await patch({ version: 1, startsAt: '2026-11-02T01:30' });
    expect(moved.json).toMatchObject({ startsAt: '2026-11-02T01:30:00-05:00' });
    const shown = await patch({ version: 2, timeZone: 'Asia/Shanghai' });
    expect(shown.json).toMatchObject({ startsAtMs: moved.json.startsAtMs, startsAt: '2026-11-02T14:30:00+08:00' });
    expect((await patch({ version: 3, timeZone: 'Nowhere' })).status).toBe(400);
  });

  test('takes no points where there is no wallet, and says what is missing', async () => {
    const refused = await create({ kind: 'exchange', price: { points: 3 } });
    expect([refused.status, refused.json.reason]).toEqual([409, 'wrong_state']);
    expect(refused.json.detail).toMatch(/SLUICE_WALLET_URL/);
    const payment = { reference: 'wallet:x', outcome: 'paid' };
    const path = `/v1/orders/${'x'.repeat(22)}/payment`;
    expect((await world.call('POST', path, { server: true, body: payment })).status).toBe(400);
  });
});

describe('an exchange over HTTP', () => {
  const wallet = createMemoryWallet({ initialPoints: (buyerId) => (buyerId === 'poor' ? 1 : 100) });
  beforeEach(async () => {
    world = await newHttpWorld({ wallet });
    await world.openSale('swap', { kind: 'exchange', price: { points: 60 } });
  });

  const statusOf = async (orderId: string, as: string) =>
    (await world.call('GET', `/v1/orders/${orderId}`, { as })).json.status;

  test('is paid by the wallet, once', async () => {
    const { orderId } = await buyOne('swap', 'ann');
    await expect.poll(() => statusOf(orderId, 'ann'), { timeout: 5_000 }).toBe('paid');
    expect(wallet.balanceOf('ann')).toBe(40);
  });

  test('of who has too little ends, and its unit is sold on', async () => {
    const { orderId } = await buyOne('swap', 'poor');
    await expect.poll(() => statusOf(orderId, 'poor'), { timeout: 5_000 }).toBe('cancelled');
    const order = await world.call('GET', `/v1/admin/orders/${orderId}`, { admin: true });
    expect(order.json.history.map((event: { type: string }) => event.type)).toEqual([
      ...['order.settled', 'order.charge_refused', 'order.cancelled'],
    ]);
    const places = async () => (await world.call('GET', '/v1/admin/sales/swap/places', { admin: true })).json;
    await expect.poll(places).toMatchObject({ available: 10, held: 0, balanced: true });
    expect(wallet.balanceOf('poor')).toBe(1);
  });
});
