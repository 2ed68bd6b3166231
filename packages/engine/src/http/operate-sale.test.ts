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
    expect((await operate('twice', 'settle')).status).toBe(404);
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
      { id: 'x', delta: -1 },
      { id: 'x', delta: 1.5 },
      { id: '', delta: 1 },
    ]) {
      expect((await receive('stock', body)).json.reason).toBe('bad_request');
    }
    await operate('stock', 'close');
    expect((await receive('stock', { id: 'truck-2', delta: 1 })).json.reason).toBe('wrong_state');
  });
});
