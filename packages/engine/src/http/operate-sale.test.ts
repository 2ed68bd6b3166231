import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;

beforeAll(async () => {
  world = await newHttpWorld();
});
afterAll(() => world.close());

const operate = (saleId: string, operation: string) =>
  world.call('POST', `/v1/admin/sales/${saleId}/${operation}`, { admin: true });
const patch = (saleId: string, body: object) => world.call('PATCH', `/v1/admin/sales/${saleId}`, { admin: true, body });
const receive = (saleId: string, body: object) =>
  world.call('POST', `/v1/admin/sales/${saleId}/stock`, { admin: true, body });
const places = async (saleId: string) =>
  (await world.call('GET', `/v1/admin/sales/${saleId}/places`, { admin: true })).json;

describe('operating a sale', () => {
  it('pauses, resumes and closes it at once; what was bought stays bought', async () => {
    await world.openSale('night');
    const token = await world.tokenFor('night', 'ann');
    expect((await world.buy('night', 'ann', token)).status).toBe(202);
    const other = await world.tokenFor('night', 'bob');

    expect((await operate('night', 'pause')).json).toMatchObject({ state: 'paused' });
    expect((await world.buy('night', 'bob', other)).json.reason).toBe('paused');
    expect((await world.buy('night', 'ann', token)).json).toMatchObject({ replayed: true });

    expect((await operate('night', 'resume')).json).toMatchObject({ state: 'live' });
    expect((await world.buy('night', 'bob', other)).status).toBe(202);

    expect((await operate('night', 'close')).json).toMatchObject({ state: 'closed' });
    expect((await world.buy('night', 'bob', other)).json).toMatchObject({ replayed: true });
    expect((await world.call('POST', '/v1/sales/night/token', { as: 'cat' })).json.reason).toBe('closed');
    expect(await places('night')).toMatchObject({ held: 2, total: 10, balanced: true });
  });

  it('says again what was done, and refuses what leads nowhere', async () => {
    await world.openSale('twice');
    const [first, second] = [await operate('twice', 'pause'), await operate('twice', 'pause')];
    expect(second.json).toMatchObject({ state: 'paused', version: first.json.version });
    expect((await operate('twice', 'close')).status).toBe(200);
    for (const operation of ['publish', 'pause', 'resume']) {
      const answer = await operate('twice', operation);
      expect([answer.status, answer.json.reason]).toEqual([409, 'wrong_state']);
    }
    expect((await operate('nowhere', 'pause')).json.reason).toBe('not_found');
  });

  it('changes its window, by whoever has read it last (K04)', async () => {
    await world.openSale('window');
    const { json: sale } = await world.call('GET', '/v1/admin/sales/window', { admin: true });
    const startsAtMs = sale.serverTimeMs + 60_000;
    const patched = await patch('window', { version: sale.version, startsAtMs, title: 'Later' });
    expect(patched.json).toMatchObject({ startsAtMs, title: 'Later', version: sale.version + 1, phase: 'upcoming' });
    expect((await world.buy('window', 'ann', await world.tokenFor('window', 'ann'))).json.reason).toBe('too_early');

    const stale = await patch('window', { version: sale.version, title: 'Mine' });
    expect([stale.status, stale.json.reason]).toEqual([409, 'stale_version']);
    const { version } = patched.json;
    expect((await patch('window', { version, endsAtMs: startsAtMs })).json.reason).toBe('bad_request');
    for (const body of [{ version, totalUnits: 5 }, { title: 'x' }, { version: '3', title: 'x' }]) {
      expect((await patch('window', body)).json.reason).toBe('bad_request');
    }
    expect((await patch('nowhere', { version })).json.reason).toBe('not_found');
  });

  it('adds exactly what was delivered while it sells (K04)', async () => {
    await world.openSale('stock', { totalUnits: 5 });
    const buyers = Array.from({ length: 60 }, (_, index) => `buyer-${index}`);
    const tokens = await Promise.all(buyers.map((buyer) => world.tokenFor('stock', buyer)));
    const delivery = { id: 'truck-1', delta: 50 };
    const [, ...deliveries] = await Promise.all([
      Promise.all(buyers.map((buyer, index) => world.buy('stock', buyer, tokens[index]))),
      ...[1, 2, 3].map(() => receive('stock', delivery)),
    ]);
    expect(deliveries.map((answer) => answer.json.repeated).sort()).toEqual([false, true, true]);
    for (const answer of deliveries) expect(answer.json.totalUnits).toBe(55);
    await Promise.all(buyers.map((buyer, index) => world.buy('stock', buyer, tokens[index])));
    expect(await places('stock')).toMatchObject({ held: 55, free: 0, available: 0, total: 55, balanced: true });
    expect((await receive('stock', { id: 'truck-1', delta: 51 })).json.reason).toBe('content_differs');
    for (const body of [
      { id: 'x', delta: 0 },
      { id: 'x', delta: 1.5 },
      { id: '', delta: 1 },
    ]) {
      expect((await receive('stock', body)).json.reason).toBe('bad_request');
    }
    const huge = await receive('stock', { id: 'truck-9', delta: Number.MAX_SAFE_INTEGER });
    expect(huge.json).toMatchObject({ reason: 'bad_request', detail: expect.stringContaining('has 55 units') });
    await operate('stock', 'close');
    expect((await receive('stock', { id: 'truck-2', delta: 1 })).json.reason).toBe('wrong_state');
  });

  it('withdraws what is unsold while it sells, from wherever it is, once; more is refused whole (U7)', async () => {
    await world.openSale('recall', { totalUnits: 10 });
    const token = await world.tokenFor('recall', 'ann');
    await world.buy('recall', 'ann', token, 2);
    const more = await receive('recall', { id: 'van-1', delta: -9 });
    expect([more.status, more.json]).toMatchObject([409, { reason: 'not_enough_left', left: 8 }]);
    expect(more.json.detail).toBe('8 units are free; 9 were to be withdrawn, and none was.');
    expect(await places('recall')).toMatchObject({ available: 8, held: 2, total: 10, balanced: true });

    const withdrawal = { id: 'van-1', delta: -5 };
    const answers = await Promise.all([1, 2, 3].map(() => receive('recall', withdrawal)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    for (const answer of answers) expect(answer.json).toMatchObject({ ...withdrawal, totalUnits: 5 });
    expect(await places('recall')).toMatchObject({ available: 3, held: 2, total: 5, balanced: true });
    expect((await receive('recall', { id: 'van-1', delta: -4 })).json.reason).toBe('content_differs');
    expect((await receive('recall', { id: 'van-1', delta: 5 })).json.reason).toBe('content_differs');
    expect((await receive('nowhere', withdrawal)).json.reason).toBe('not_found');
  });

  it('withdraws beside buyers who race for the same units: every unit is sold or gone, none twice', async () => {
    for (let round = 0; round < 20; round++) {
      const saleId = `race-${round}`;
      await world.openSale(saleId, { totalUnits: 10, limitUnits: 1 });
      const buyers = Array.from({ length: 12 }, (_, index) => `${saleId}-buyer-${index}`);
      const tokens = await Promise.all(buyers.map((buyer) => world.tokenFor(saleId, buyer)));
      const [withdrawn, ...bought] = await Promise.all([
        receive(saleId, { id: 'van', delta: -4 }),
        ...buyers.map((buyer, index) => world.buy(saleId, buyer, tokens[index])),
      ]);
      const sold = bought.filter((answer) => answer.status === 202).length;
      const total = withdrawn.status === 200 ? 6 : 10;
      if (withdrawn.status !== 200) expect(withdrawn.json.reason).toBe('not_enough_left');
      const now = await places(saleId);
      expect(now).toMatchObject({ held: sold, total, balanced: true });
      expect(now.free + now.available + now.held).toBe(total);
    }
  });

  it('brings back what is unsold when it is closed, and settles when nothing is open, saying what is', async () => {
    await world.openSale('ending', { totalUnits: 10 });
    const token = await world.tokenFor('ending', 'ann');
    const { json: bought } = await world.buy('ending', 'ann', token, 2);
    const early = await operate('ending', 'settle');
    expect([early.status, early.json.reason]).toEqual([409, 'wrong_state']);
    await operate('ending', 'close');
    expect(await places('ending')).toMatchObject({ free: 8, available: 0, held: 2, total: 10, balanced: true });
    const open = await operate('ending', 'settle');
    expect([open.status, open.json]).toMatchObject([409, { reason: 'still_open' }]);
    expect(open.json.detail).toBe('Still open: 1 unpaid order.');

    const paid = { outcome: 'paid', reference: 'pay-ending' };
    const pay = (body: object) => world.call('POST', `/v1/orders/${bought.orderId}/payment`, { server: true, body });
    expect((await pay(paid)).status).toBe(200);
    expect((await operate('ending', 'settle')).json).toMatchObject({ state: 'settled' });
    expect((await operate('ending', 'settle')).json).toMatchObject({ state: 'settled' });
    expect(await places('ending')).toMatchObject({ free: 8, sold: 2, total: 10, balanced: true });
    expect((await receive('ending', { id: 'x', delta: 1 })).json.reason).toBe('wrong_state');
    expect((await operate('ending', 'close')).json.reason).toBe('wrong_state');
    expect((await world.buy('ending', 'ann', token, 2)).json).toMatchObject({ status: 'paid', replayed: true });

    expect((await pay({ outcome: 'refunded', reference: 'pay-ending' })).status).toBe(200);
    expect(await places('ending')).toMatchObject({ free: 10, sold: 0, total: 10, balanced: true });
    expect((await operate('nowhere', 'settle')).json.reason).toBe('not_found');
  });
});
