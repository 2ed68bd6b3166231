/** One of these skins for each account, over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;
beforeEach(async () => {
  world = await newHttpWorld();
});
afterEach(() => world.close());

const group = { limitGroup: 'skins', limitUnits: 1 };

describe('sales of one limit group', () => {
  it('sell a buyer one, and name the order that uses the limit up', async () => {
    for (const id of ['tiger', 'dragon']) await world.openSale(id, group);
    const token = await world.tokenFor('tiger', 'ann');
    const bought = await world.buy('tiger', 'ann', token);
    expect(bought.status).toBe(202);
    const other = await world.tokenFor('dragon', 'ann');
    const refused = await world.buy('dragon', 'ann', other);
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({ reason: 'over_limit', liveOrderIds: [bought.json.orderId] });
    expect((await world.buy('tiger', 'ann', token)).json).toMatchObject({ replayed: true });
    expect((await world.buy('dragon', 'bob', await world.tokenFor('dragon', 'bob'))).status).toBe(202);

    await world.call('POST', `/v1/orders/${bought.json.orderId}/cancel`, { as: 'ann' });
    expect((await world.buy('dragon', 'ann', other)).status).toBe(202);
  });

  it('say so to everybody, and keep it', async () => {
    await world.openSale('tiger', group);
    await world.openSale('alone');
    expect((await world.call('GET', '/v1/sales/tiger')).json).toMatchObject(group);
    expect((await world.call('GET', '/v1/admin/sales/tiger', { admin: true })).json).toMatchObject(group);
    expect((await world.call('GET', '/v1/admin/sales/alone', { admin: true })).json.limitGroup).toBeNull();
    const { sales } = (await world.call('GET', '/v1/admin/sales', { admin: true })).json;
    expect(sales.map((sale: { limitGroup: string | null }) => sale.limitGroup)).toEqual([null, 'skins']);
    const body = { version: 2, limitGroup: 'other' };
    expect((await world.call('PATCH', '/v1/admin/sales/tiger', { admin: true, body })).status).toBe(400);
  });

  it('have one limit: a sale with another does not join', async () => {
    await world.openSale('tiger', group);
    const body = world.draftOf('dragon', { ...group, limitUnits: 2 });
    const refused = await world.call('POST', '/v1/admin/sales', { admin: true, body });
    expect([refused.status, refused.json.reason]).toEqual([409, 'group_differs']);
    expect(refused.json.detail).toMatch(/have a limit of 1/);
    expect((await world.call('GET', '/v1/admin/sales/dragon', { admin: true })).status).toBe(404);
    const bad = { ...body, limitGroup: 'Skins!' };
    expect((await world.call('POST', '/v1/admin/sales', { admin: true, body: bad })).status).toBe(400);
  });
});
