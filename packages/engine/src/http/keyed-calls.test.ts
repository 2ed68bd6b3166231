import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { type Answer, type HttpWorld, newHttpWorld } from './http-world.contract.ts';
import { createHttpServer } from './server.ts';

let world: HttpWorld;

beforeAll(async () => {
  world = await newHttpWorld();
});
afterAll(() => world.close());

let lastNumber = 0;
const newName = (of: string) => `${of}-${++lastNumber}`;

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const isReplayed = (answer: Answer) => answer.headers.get('idempotent-replayed') === 'true';

function receive(saleId: string, key: string, body: object, of: HttpWorld = world): Promise<Answer> {
  return of.call('POST', `/v1/admin/sales/${saleId}/stock`, { admin: true, body, ...withKey(key) });
}

async function orderOf(buyer: string, saleId: string): Promise<string> {
  const bought = await world.buy(saleId, buyer, await world.tokenFor(saleId, buyer));
  expect(bought.status, bought.text).toBe(202);
  return bought.json.orderId;
}

describe('a call with an idempotency key', () => {
  it('is done once, and answered the same again', async () => {
    const draft = world.draftOf(newName('sale'));
    const create = (key: string) =>
      world.call('POST', '/v1/admin/sales', { admin: true, body: draft, ...withKey(key) });
    const first = await create('"first"');
    expect([first.status, isReplayed(first)]).toEqual([201, false]);
    const again = await create('"first"');
    expect([again.status, again.text, isReplayed(again)]).toEqual([201, first.text, true]);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('cache-control')).toBe('no-store');
    // In quotes or not, it is the same key; another key is another call.
    expect((await create('first')).text).toBe(first.text);
    expect((await create('"other"')).json.reason).toBe('exists');
    // What was refused for good is refused again, in the same words.
    const refused = await create('"other"');
    expect([refused.status, isReplayed(refused), refused.headers.get('content-language')]).toEqual([409, true, 'en']);
  });

  it('is refused when it asks for something else, by body, path or method', async () => {
    const [one, two] = [newName('sale'), newName('sale')];
    await world.openSale(one);
    await world.openSale(two);
    const key = newName('key');
    expect((await receive(one, key, { id: 'truck', delta: 1 })).status).toBe(200);
    const others = [
      await receive(one, key, { id: 'truck', delta: 2 }),
      await receive(two, key, { id: 'truck', delta: 1 }),
      await world.call('POST', `/v1/admin/sales/${one}/pause`, { admin: true, ...withKey(key) }),
      await world.call('PATCH', `/v1/admin/sales/${one}`, { admin: true, body: { version: 3 }, ...withKey(key) }),
    ];
    for (const each of others) expect([each.status, each.json.reason]).toEqual([422, 'content_differs']);
    expect((await world.call('GET', `/v1/admin/sales/${one}`, { admin: true })).json).toMatchObject({
      ...{ state: 'live', totalUnits: 11 },
    });
  });

  it.each(['', '""', 'a b', '"a"b"', '"ü"', `"${'k'.repeat(256)}"`, 'k'.repeat(256), 'one, two'])(
    'is malformed with the key %s',
    async (key) => {
      const sent = Buffer.from(key, 'utf8').toString('latin1');
      const saleId = newName('sale');
      const answer = await world.call('POST', '/v1/admin/sales', {
        ...{ admin: true, body: world.draftOf(saleId), headers: { 'idempotency-key': sent } },
      });
      expect([answer.status, answer.json.reason]).toEqual([400, 'bad_request']);
      expect((await world.call('GET', `/v1/admin/sales/${saleId}`, { admin: true })).status).toBe(404);
    },
  );

  it('reaches no key of another caller', async () => {
    const saleId = newName('sale');
    await world.openSale(saleId);
    const [anns, bobs] = [await orderOf('ann', saleId), await orderOf('bob', saleId)];
    const cancel = (as: string, orderId: string) =>
      world.call('POST', `/v1/orders/${orderId}/cancel`, { as, ...withKey('the-key') });
    expect((await cancel('ann', anns)).json.status).toBe('cancelled');
    expect((await cancel('bob', bobs)).json.status).toBe('cancelled');
    expect((await cancel('ann', bobs)).status).toBe(422);
    const byOperator = await world.call('POST', `/v1/admin/orders/${anns}/cancel`, {
      admin: true,
      ...withKey('the-key'),
    });
    expect([byOperator.status, isReplayed(byOperator)]).toEqual([200, false]);
  });

  it('tells of money once', async () => {
    const saleId = newName('sale');
    await world.openSale(saleId);
    const orderId = await orderOf('cho', saleId);
    const pay = () =>
      world.call('POST', `/v1/orders/${orderId}/payment`, {
        ...{ server: true, body: { reference: 'pay-1', outcome: 'paid' }, ...withKey('"pay-1"') },
      });
    const first = await pay();
    expect(first.json).toMatchObject({ payment: 'applied', repeated: false });
    const again = await pay();
    expect([again.text, isReplayed(again)]).toEqual([first.text, true]);
  });

  it('is done by one of two that come at once with different bodies (K38)', async () => {
    const saleId = newName('sale');
    await world.openSale(saleId, { totalUnits: 0 });
    let received = 0;
    for (let round = 0; round < 100; round++) {
      const key = newName('key');
      const bodies = [1, 2].map((delta) => ({ id: `${key}-${delta}`, delta }));
      const answers = await Promise.all(bodies.map((body) => receive(saleId, key, body)));
      const statuses = answers.map(({ status }) => status).toSorted();
      expect([
        [200, 409],
        [200, 422],
      ]).toContainEqual(statuses);
      const won = answers.findIndex(({ status }) => status === 200);
      received += bodies[won]?.delta ?? 0;
    }
    expect((await world.call('GET', `/v1/admin/sales/${saleId}`, { admin: true })).json.totalUnits).toBe(received);
  });

  it('is told to come again while the first one is in hand', async () => {
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = await newHttpWorld({
      stub: { receiveStock: async (saleId, change) => held.then(() => slow.engine.receiveStock(saleId, change)) },
    });
    await slow.openSale('slow');
    const body = { id: 'truck', delta: 1 };
    const first = receive('slow', 'key', body, slow);
    let second = await receive('slow', 'key', body, slow);
    while (second.status === 200) second = await receive('slow', 'key', body, slow);
    expect([second.status, second.json.reason, second.headers.get('retry-after')]).toEqual([409, 'in_progress', '1']);
    finish();
    expect((await first).status).toBe(200);
    expect(isReplayed(await receive('slow', 'key', body, slow))).toBe(true);
    await slow.close();
  });

  it('acts again after an answer that was not final', async () => {
    const moods = [new Fault('ledger_unavailable', 'down'), new Error('a bug'), null];
    const moody = await newHttpWorld({
      stub: {
        async receiveStock(saleId, change) {
          const mood = moods.shift();
          if (mood) throw mood;
          return moody.engine.receiveStock(saleId, change);
        },
      },
    });
    await moody.openSale('moody');
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++) {
      statuses.push((await receive('moody', 'key', { id: 'truck', delta: 1 }, moody)).status);
    }
    expect(statuses).toEqual([503, 500, 200, 200]);
    await moody.close();
  });

  it('is answered when its answer cannot be kept, and the log says so', async () => {
    const failing = await newHttpWorld();
    const { idempotency } = failing.ledger;
    const keep = () => Promise.reject(new Fault('ledger_unavailable', 'down'));
    const app = createHttpServer({
      ...failing.deps,
      engine: { ...failing.engine, idempotency: { ...idempotency, keep } },
    });
    const answer = await app.inject({
      ...{ method: 'POST', url: '/v1/admin/sales', payload: failing.draftOf('kept-not') },
      headers: { authorization: `Bearer ${failing.deps.adminKey}`, 'idempotency-key': 'key' },
    });
    expect(answer.statusCode).toBe(201);
    expect(failing.logged.join('')).toContain('an answer was not kept under its key');
    await app.close();
    await failing.close();
  });

  it('remembers the answer after a restart of the process', async () => {
    const before = await receive(await opened(), 'restart', { id: 'truck', delta: 5 });
    // Another server over the same ledger: of the first process nothing else is left.
    const app = createHttpServer(world.deps);
    const again = await app.inject({
      ...{ method: 'POST', url: `/v1/admin/sales/${lastSale}/stock`, payload: { id: 'truck', delta: 5 } },
      headers: { authorization: `Bearer ${world.deps.adminKey}`, 'idempotency-key': 'restart' },
    });
    expect([again.statusCode, again.body, again.headers['idempotent-replayed']]).toEqual([200, before.text, 'true']);
    await app.close();
  });
});

let lastSale = '';

async function opened(): Promise<string> {
  lastSale = newName('sale');
  await world.openSale(lastSale);
  return lastSale;
}

describe('a token with an idempotency key', () => {
  it('is for the same order again, of this buyer and sale only', async () => {
    const [one, two] = [await opened(), await opened()];
    const issue = async (saleId: string, as: string, key: string) =>
      (await world.call('POST', `/v1/sales/${saleId}/token`, { as, ...withKey(key) })).json;
    const first = await issue(one, 'ann', '"try-1"');
    expect((await issue(one, 'ann', 'try-1')).orderId).toBe(first.orderId);
    const others = [
      await issue(one, 'ann', 'try-2'),
      await issue(one, 'bob', 'try-1'),
      await issue(two, 'ann', 'try-1'),
    ];
    expect(new Set([first.orderId, ...others.map(({ orderId }) => orderId)]).size).toBe(4);
    const bought = await world.buy(one, 'ann', first.token);
    const again = await world.buy(one, 'ann', (await issue(one, 'ann', 'try-1')).token);
    expect(again.json).toMatchObject({ orderId: bought.json.orderId, replayed: true });
  });
});

describe('one purchase token with different units', () => {
  it('buys once, and takes what it answered (K38)', async () => {
    const saleId = newName('sale');
    await world.openSale(saleId, { totalUnits: 1_000, limitUnits: 3 });
    let taken = 0;
    for (let round = 0; round < 100; round++) {
      const buyer = newName('buyer');
      const token = await world.tokenFor(saleId, buyer);
      const answers = await Promise.all([1, 2].map((units) => world.buy(saleId, buyer, token, units)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 422]);
      taken += answers.find(({ status }) => status === 202)?.json.units ?? 0;
    }
    const places = await world.call('GET', `/v1/admin/sales/${saleId}/places`, { admin: true });
    expect(places.json).toMatchObject({ held: taken, balanced: true });
  });
});
