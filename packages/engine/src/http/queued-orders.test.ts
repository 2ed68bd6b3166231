import { once } from 'node:events';
import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpWorld, jwtFor, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;

beforeEach(async () => {
  world = await newHttpWorld();
  await world.openSale('skin');
});
afterEach(() => world.close());

const show = (as: string, orderId: string) => world.call('GET', `/v1/orders/${orderId}`, { as });

/** The statuses that the events of an order tell, as they come; the connection is the caller's to end. */
function follow(
  as: string,
  orderId: string,
  receipt?: string,
): { readonly statuses: string[]; readonly ended: Promise<unknown>; end(): void } {
  const headers = { authorization: `Bearer ${jwtFor(as)}` };
  const statuses: string[] = [];
  const request = get(
    `${world.url}/v1/orders/${orderId}/events${receipt ? `?receipt=${receipt}` : ''}`,
    { headers, agent: false },
    (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        for (const [, status] of chunk.matchAll(/"status":"(\w+)"/g)) if (status) statuses.push(status);
      });
      response.on('error', () => undefined);
    },
  );
  request.on('error', () => undefined);
  return { statuses, ended: once(request, 'close'), end: () => void request.destroy() };
}

describe('an order that the ledger does not have yet', () => {
  it('is told as queued to its buyer, and to nobody else (K14, K16)', async () => {
    const issued = await world.call('POST', '/v1/sales/skin/token', { as: 'ann' });
    const { orderId, token } = issued.json;
    expect((await show('ann', orderId)).status).toBe(404);

    // Nothing settles from here on.
    await world.engine.stop();
    const buying = world.buy('skin', 'ann', token, 2);
    await expect
      .poll(async () => (await show('ann', orderId)).json, { timeout: 4_000 })
      .toEqual({
        ...{ orderId, saleId: 'skin', units: 2, status: 'queued', refusal: null, settledAtMs: null, dueAtMs: null },
        ...{ kind: 'limited_skin', items: [{ itemId: 'skin', quantity: 2 }], cost: null },
      });
    expect((await show('bob', orderId)).status).toBe(404);
    const events = follow('ann', orderId);
    await expect.poll(() => events.statuses).toEqual(['queued']);
    expect((await buying).json).toMatchObject({ orderId, status: 'queued' });

    await world.engine.start();
    await expect.poll(() => events.statuses, { timeout: 8_000 }).toEqual(['queued', 'pending']);
    events.end();
    expect((await show('ann', orderId)).json).toMatchObject({ status: 'pending', units: 2 });
  });

  it('is told as lost on its stream, to whoever has its receipt, once no order can come of it', async () => {
    await world.close();
    world = await newHttpWorld({ orderStreams: { rereadMs: 50 } });
    await world.openSale('skin');
    const { orderId, token } = (await world.call('POST', '/v1/sales/skin/token', { as: 'ann' })).json;
    await world.engine.stop();
    const { receipt } = (await world.buy('skin', 'ann', token, 2)).json;
    const [hers, without] = [follow('ann', orderId, receipt), follow('ann', orderId)];
    await expect.poll(() => [hers.statuses, without.statuses]).toEqual([['queued'], ['queued']]);
    world.store.lose();
    const late = follow('ann', orderId, receipt);
    await expect.poll(() => late.statuses).toEqual(['queued']);

    await world.engine.start();
    await expect
      .poll(() => [hers.statuses, late.statuses], { timeout: 8_000 })
      .toEqual([
        ['queued', 'lost'],
        ['queued', 'lost'],
      ]);
    await Promise.all([hers.ended, late.ended]);
    expect(without.statuses).toEqual(['queued']);
    without.end();
    const again = follow('ann', orderId, receipt);
    await again.ended;
    expect(again.statuses).toEqual(['lost']);
    expect(await world.buy('skin', 'ann', token, 2)).toMatchObject({ status: 202, json: { orderId } });
  });

  it('can be cancelled by its buyer without a receipt, and by nobody else', async () => {
    const { orderId, token } = (await world.call('POST', '/v1/sales/skin/token', { as: 'ann' })).json;
    await world.engine.stop();
    const buying = world.buy('skin', 'ann', token, 2);
    await expect.poll(async () => (await show('ann', orderId)).json.status, { timeout: 4_000 }).toBe('queued');
    const cancel = (as: string) => world.call('POST', `/v1/orders/${orderId}/cancel`, { as });
    expect((await cancel('bob')).status).toBe(404);
    const answer = await cancel('ann');
    expect([answer.status, answer.json]).toEqual([202, { orderId, status: 'queued' }]);
    await buying;

    await world.engine.start();
    await expect.poll(async () => (await show('ann', orderId)).json.status, { timeout: 8_000 }).toBe('cancelled');
  });
});

describe('a buyer who lost the token, while the sale is empty', () => {
  it('hears of the orders that use the limit up', async () => {
    await world.openSale('one', { totalUnits: 1, limitUnits: 1 });
    const tokens = await Promise.all(['ann', 'bob'].map((buyer) => world.tokenFor('one', buyer)));
    const won = await world.buy('one', 'ann', tokens[0]);
    expect((await world.buy('one', 'bob', tokens[1])).json.reason).toBe('none_left_now');

    const askAgain = (as: string) => world.call('POST', '/v1/sales/one/token', { as });
    expect((await askAgain('ann')).json).toMatchObject({ reason: 'over_limit', liveOrderIds: [won.json.orderId] });
    const loser = await askAgain('bob');
    expect(loser.json.reason).toBe('none_left_now');
    expect(loser.json).not.toHaveProperty('liveOrderIds');
  });

  it('hears of the orders there are when the limit allows more, and of none that have ended', async () => {
    await world.openSale('two', { totalUnits: 2, limitUnits: 2 });
    const tokens = await Promise.all(['ann', 'ann', 'bob'].map((buyer) => world.tokenFor('two', buyer)));
    const first = await world.buy('two', 'ann', tokens[0]);
    const second = await world.buy('two', 'ann', tokens[1]);
    await world.call('POST', `/v1/orders/${second.json.orderId}/cancel`, { as: 'ann' });
    const third = await world.buy('two', 'bob', tokens[2]);
    expect(third.status).toBe(202);
    expect((await world.buy('two', 'cho', await world.tokenFor('two', 'cho'))).json.reason).toBe('none_left_now');
    const again = await world.call('POST', '/v1/sales/two/token', { as: 'ann' });
    expect(again.json).toMatchObject({ reason: 'none_left_now', liveOrderIds: [first.json.orderId] });
  });
});

describe('a sale that is shown', () => {
  it('says whether units are left', async () => {
    await world.openSale('last', { totalUnits: 1, limitUnits: 1 });
    const unitsLeft = async () => (await world.call('GET', '/v1/sales/last')).json.unitsLeft;
    expect(await unitsLeft()).toBe(true);
    const { json: order } = await world.buy('last', 'ann', await world.tokenFor('last', 'ann'));
    await expect.poll(unitsLeft, { timeout: 3_000 }).toBe(false);
    await world.call('POST', `/v1/orders/${order.orderId}/cancel`, { as: 'ann' });
    await expect.poll(unitsLeft, { timeout: 3_000 }).toBe(true);
  });
});
