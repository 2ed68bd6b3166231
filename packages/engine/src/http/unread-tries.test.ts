/** Tries for a sale that is remembered as gone: answered before their body is read. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;
let winnersToken: string;
let losersToken: string;
let latestToken: string;

/** One unit, which ann has; bob has found the sale empty. */
beforeEach(async () => {
  world = await newHttpWorld();
  await world.openSale('skin', { totalUnits: 1 });
  winnersToken = await world.tokenFor('skin', 'ann');
  losersToken = await world.tokenFor('skin', 'bob');
  latestToken = await world.tokenFor('skin', 'dan');
  expect((await world.buy('skin', 'ann', winnersToken)).status).toBe(202);
  expect((await world.buy('skin', 'bob', losersToken)).json.reason).toBe('none_left_now');
});
afterEach(() => world.close());

describe('a try for a sale that is remembered as gone', () => {
  it('is refused whatever its body says', async () => {
    expect((await world.buy('skin', 'cho', 'no token', 'no number')).json).toMatchObject({ reason: 'none_left_now' });
    const token = await world.call('POST', '/v1/sales/skin/token', { as: 'cho', body: 'no JSON' });
    expect(token.json).toMatchObject({ reason: 'none_left_now' });
  });

  it('needs an identity first', async () => {
    const stranger = await world.call('POST', '/v1/sales/skin/purchases', { body: { token: 'x', units: 1 } });
    expect(stranger.status).toBe(401);
  });

  it('of a winner is read, and gets the order', async () => {
    expect((await world.buy('skin', 'ann', winnersToken)).json).toMatchObject({ status: 'pending', replayed: true });
    expect((await world.buy('skin', 'ann', winnersToken, 2)).json).toMatchObject({ reason: 'content_differs' });
    expect((await world.buy('skin', 'ann', 'no token')).json).toMatchObject({ reason: 'token_invalid' });
    const again = await world.call('POST', '/v1/sales/skin/token', { as: 'ann' });
    expect(again.json.liveOrderIds).toHaveLength(1);
  });

  it('of who wins when units come back is read at once, too', async () => {
    const added = await world.call('POST', '/v1/admin/sales/skin/stock', {
      admin: true,
      body: { id: 'more', delta: 1 },
    });
    expect(added.status).toBe(200);
    await expect.poll(async () => (await world.buy('skin', 'bob', losersToken)).status, { timeout: 3_000 }).toBe(202);
    expect((await world.buy('skin', 'dan', latestToken)).json.reason).toBe('none_left_now');
    expect((await world.buy('skin', 'cho', 'no token')).json.reason).toBe('none_left_now');
    expect((await world.buy('skin', 'bob', losersToken)).json).toMatchObject({ replayed: true });
  });

  it('hears that the sale is paused, not that it is gone', async () => {
    await world.call('POST', '/v1/admin/sales/skin/pause', { admin: true });
    const told = await world.buy('skin', 'cho', 'no token');
    expect(told.json).toMatchObject({ reason: 'token_invalid' });
  });

  it('is counted at the stage that would have turned it away', async () => {
    const seen: string[] = [];
    const counting = await newHttpWorld({
      telemetry: {
        ...{
          batchJudged() {},
          groupSettled() {},
          settlementRested() {},
          settlementFailed() {},
          ordersChanged() {},
          webhookAnswered() {},
          walletAnswered() {},
        },
        turnedAway: (stage, reason) => seen.push(`${stage} ${reason}`),
      },
      stub: { refuseUnread: async () => ({ kind: 'refused', reason: 'sold_out' }) },
    });
    await counting.buy('skin', 'ann', 'any');
    await counting.call('POST', '/v1/sales/skin/token', { as: 'ann' });
    await counting.close();
    expect(seen).toEqual(['gate sold_out', 'token sold_out']);
  });
});
