import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpWorld, jwtFor, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;

beforeEach(async () => {
  world = await newHttpWorld();
});
afterEach(() => world.close());

const ABSENT = 'A'.repeat(22);

async function order(buyer: string, saleId = 'skin', in_ = world): Promise<string> {
  const answer = await in_.buy(saleId, buyer, await in_.tokenFor(saleId, buyer));
  if (answer.status !== 202) throw new Error(answer.text);
  return answer.json.orderId;
}

const cancel = (orderId: string, as: string, body?: object) =>
  world.call('POST', `/v1/orders/${orderId}/cancel`, { as, ...(body && { body }) });
const pay = (orderId: string, more: object = {}) =>
  world.call('POST', `/v1/orders/${orderId}/payment`, {
    ...{ server: true, body: { reference: `pay-${orderId}`, outcome: 'paid', amount: 4_900, ...more } },
  });
const shown = async (orderId: string, as: string) => (await world.call('GET', `/v1/orders/${orderId}`, { as })).json;
const places = async () => (await world.call('GET', '/v1/admin/sales/skin/places', { admin: true })).json;

describe("a buyer's own orders", () => {
  it('come in pages, each once, oldest first, and nobody else sees them', async () => {
    await world.openSale('skin', { totalUnits: 300, limitUnits: 300 });
    const mine: string[] = [];
    for (let bought = 0; bought < 25; bought++) mine.push(await order('ann'));
    await order('bob');
    const seen: string[] = [];
    let path = '/v1/orders?limit=10';
    for (let pages = 1; ; pages++) {
      const { json } = await world.call('GET', path, { as: 'ann' });
      seen.push(...json.orders.map((each: { orderId: string }) => each.orderId));
      if (json.next === null) {
        expect([pages, json.orders.length]).toEqual([3, 5]);
        break;
      }
      path = `/v1/orders?limit=10&after=${encodeURIComponent(json.next)}`;
    }
    expect(seen.toSorted()).toEqual(mine.toSorted());
    expect((await world.call('GET', '/v1/orders', { as: 'ann' })).json.orders).toHaveLength(20);
    expect((await world.call('GET', '/v1/orders', { as: 'cat' })).json).toEqual({ orders: [], next: null });
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=1e1',
    'limit=',
    'limit=5&limit=6',
    'after=x',
    'after=',
    'page=2',
    'after=1.',
  ])('are not asked for by %s', async (query) => {
    const answer = await world.call('GET', `/v1/orders?${query}`, { as: 'ann' });
    expect([answer.status, answer.json.reason]).toEqual([400, 'bad_request']);
  });
});

describe('cancelling', () => {
  it('gives the unit back, once, and says the same when it is said again', async () => {
    await world.openSale('skin', { totalUnits: 1 });
    const orderId = await order('ann');
    expect((await cancel(orderId, 'bob')).status).toBe(404);
    for (const body of [undefined, {}, { receipt: 'whatever' }]) {
      const answer = await cancel(orderId, 'ann', body);
      expect([answer.status, answer.json.status], answer.text).toEqual([200, 'cancelled']);
    }
    expect(await places()).toMatchObject({ available: 1, held: 0, balanced: true });
    await order('bob');
  });

  it('returns the unit once, also when it is asked for ten times at once and again later (K17)', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(orderId, 'ann')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    world.advance(3_600_000 - 1_000);
    expect((await cancel(orderId, 'ann')).status).toBe(200);
    expect(await places()).toMatchObject({ available: 10, held: 0, total: 10, balanced: true });
  });

  it('is refused for an order that is paid, is absent, or is only claimed to be on its way', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    await pay(orderId);
    expect((await cancel(orderId, 'ann')).json.reason).toBe('wrong_state');
    const foreign = world.signer.sign('receipt', ['another-order', 'x']);
    for (const body of [undefined, { receipt: '' }, { receipt: 'x.y.z' }, { receipt: foreign }]) {
      expect((await cancel(ABSENT, 'ann', body)).json.reason).toBe('not_found');
    }
    expect((await cancel(orderId, 'ann', { reason: 'x' })).json.reason).toBe('bad_request');
  });

  it('waits for the ledger when the receipt says that the order is on its way', async () => {
    const receipt = world.signer.sign('receipt', [ABSENT, `${ABSENT}@home/main/0/1-1`]);
    const answer = await cancel(ABSENT, 'ann', { receipt });
    expect([answer.status, answer.json]).toEqual([202, { orderId: ABSENT, status: 'queued' }]);
  });
});

describe('money', () => {
  it('is taken once, however often it is told', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    const told = { orderId, reference: `pay-${orderId}`, outcome: 'paid', payment: 'applied', status: 'paid' };
    expect((await pay(orderId)).json).toEqual({ ...told, repeated: false });
    const again = await Promise.all(Array.from({ length: 20 }, () => pay(orderId)));
    for (const { status, json } of again) expect([status, json]).toEqual([200, { ...told, repeated: true }]);
    expect(await places()).toMatchObject({ sold: 1, held: 0, balanced: true });
    const differs = await pay(orderId, { amount: 1 });
    expect([differs.status, differs.json.reason]).toEqual([422, 'content_differs']);
    expect(differs.json.detail).toMatch(/reference/);
  });

  it('that came first of two ways at once pays once, and the other is due back', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    const both = await Promise.all([pay(orderId, { reference: 'a' }), pay(orderId, { reference: 'b' })]);
    expect(both.map(({ json }) => json.payment).toSorted()).toEqual(['applied', 'refund_due']);
    expect(await places()).toMatchObject({ sold: 1, held: 0 });
  });

  it('and its refund may come in any order', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    expect((await pay(orderId, { outcome: 'failed', reference: 'f' })).json).toMatchObject({
      ...{ payment: 'applied', status: 'pending' },
    });
    expect((await pay(orderId, { outcome: 'refunded' })).json).toMatchObject({ payment: 'parked', status: 'pending' });
    expect((await pay(orderId)).json).toMatchObject({ payment: 'applied', status: 'refunded' });
    expect(await places()).toMatchObject({ available: 10, sold: 0, balanced: true });
  });

  it('that is late gets a unit while there is one, and is due back when there is none (K19)', async () => {
    await world.openSale('skin', { totalUnits: 2 });
    const [first, second] = [await order('ann'), await order('bob')];
    await cancel(first, 'ann');
    await cancel(second, 'bob');
    await order('cat');
    expect((await pay(first)).json.payment).toBe('reclaiming');
    await expect.poll(() => shown(first, 'ann')).toMatchObject({ status: 'paid' });
    await pay(second);
    await expect.poll(() => shown(second, 'bob')).toMatchObject({ status: 'paid_unfulfilled' });
    const { json } = await world.call('GET', `/v1/admin/orders/${second}`, { admin: true });
    expect(json.history.map((event: { type: string }) => event.type)).toContain('order.refund_due');
    expect(json.payments).toEqual([
      { reference: expect.any(String), outcome: 'paid', amount: 4_900, state: 'refund_due' },
    ]);
    expect(await places()).toMatchObject({ available: 0, held: 1, sold: 1, balanced: true });
  });

  it('for an order that is not there yet waits for it (K20)', async () => {
    await world.openSale('skin');
    const { token, orderId } = (await world.call('POST', '/v1/sales/skin/token', { as: 'ann' })).json;
    const note = expect.stringMatching(/^No order of this id .* is kept for good/);
    expect((await pay(orderId)).json).toMatchObject({ payment: 'parked', status: null, repeated: false, note });
    expect((await pay(orderId)).json).toMatchObject({ payment: 'parked', status: null, repeated: true, note });
    expect((await world.buy('skin', 'ann', token)).json).toMatchObject({ orderId, status: 'paid' });
    expect((await pay(orderId)).json).not.toHaveProperty('note');
    expect(await places()).toMatchObject({ sold: 1, held: 0, balanced: true });
  });

  it.each<[string, object]>([
    ['no reference', { reference: undefined }],
    ['an empty reference', { reference: '' }],
    ['a reference with NUL', { reference: 'a\0' }],
    ['a long reference', { reference: 'x'.repeat(201) }],
    ['another outcome', { outcome: 'settled' }],
    ['half a cent', { amount: 0.5 }],
    ['an amount as text', { amount: '1' }],
    ['less than nothing', { amount: -1 }],
    ['a buyer', { buyer: 'ann' }],
  ])('is not taken with %s', async (_name, more) => {
    expect((await pay(ABSENT, more)).json.reason).toBe('bad_request');
  });
});

describe('a cancel against a payment', () => {
  it('that come at once end in one of them, and the books balance', async () => {
    await world.openSale('skin', { totalUnits: 40 });
    const buyers = Array.from({ length: 20 }, (_, index) => `buyer-${index}`);
    const orderIds = await Promise.all(buyers.map((buyer) => order(buyer)));
    await Promise.all(
      orderIds.flatMap((orderId, index) => {
        const both = [() => cancel(orderId, buyers[index] ?? ''), () => pay(orderId)];
        return (index % 2 ? both : both.toReversed()).map((act) => act());
      }),
    );
    await expect.poll(async () => (await places()).held).toBe(0);
    const states = await Promise.all(orderIds.map(async (id, index) => (await shown(id, buyers[index] ?? '')).status));
    // Late money for a cancelled order finds a unit here: there are plenty.
    expect(new Set(states)).toEqual(new Set(['paid']));
    expect(await places()).toMatchObject({ sold: 20, available: 20, balanced: true });
  });
});

describe('a buyer without an answer (K21)', () => {
  it('finds the order by the id of the token, and cannot have a second one to pay', async () => {
    await world.openSale('skin', { totalUnits: 5, limitUnits: 1 });
    const issued = (await world.call('POST', '/v1/sales/skin/token', { as: 'ann' })).json;
    await world.buy('skin', 'ann', issued.token);
    expect(await shown(issued.orderId, 'ann')).toMatchObject({ status: 'pending' });
    const second = await world.buy('skin', 'ann', await world.tokenFor('skin', 'ann'));
    expect(second.json).toMatchObject({ reason: 'over_limit', liveOrderIds: [issued.orderId] });
  });
});

describe('bulk purchases', () => {
  const item = (buyer: string, requestId = 'r1', more: object = {}) => ({
    ...{ saleId: 'skin', buyer, requestId, units: 1, ...more },
  });
  const bulk = (items: unknown) => world.call('POST', '/v1/bulk/purchases', { server: true, body: { items } });

  it('have an outcome each, in their order, and the same again when they are repeated', async () => {
    await world.openSale('skin', { totalUnits: 4, limitUnits: 2 });
    const items = [
      ...[item('ann'), item('ann'), item('ann', 'r2'), item('ann', 'r3'), item('bob', 'r1', { saleId: 'no-such' })],
      ...[item('bob', 'r1', { units: 2 }), item('cat')],
    ];
    const first = (await bulk(items)).json.outcomes;
    expect(first.map((each: { outcome: string; reason?: string }) => each.reason ?? each.outcome)).toEqual([
      ...['accepted', 'accepted', 'accepted', 'over_limit', 'not_found', 'accepted', 'none_left_now'],
    ]);
    expect(first[1]).toMatchObject({ orderId: first[0].orderId, replayed: true });
    expect(first[3].liveOrderIds.toSorted()).toEqual([first[0].orderId, first[2].orderId].toSorted());
    expect(first[0]).toMatchObject({ status: 'pending', units: 1 });
    const again = (await bulk(items)).json.outcomes;
    expect(again.map((each: { orderId: string }) => each.orderId)).toEqual(
      first.map((each: { orderId: string }) => each.orderId),
    );
    for (const at of [0, 2, 5]) expect(again[at]).toMatchObject({ outcome: 'accepted', replayed: true });
    expect((await bulk([item('ann', 'r1', { units: 2 })])).json.outcomes[0].reason).toBe('content_differs');
    expect(await places()).toMatchObject({ held: 4, available: 0, balanced: true });
    expect(await shown(first[0].orderId, 'ann')).toMatchObject({ status: 'pending' });
  });

  it('are at most a thousand, and those fit', async () => {
    await world.openSale('skin', { totalUnits: 1_000 });
    const many = Array.from({ length: 1_000 }, (_, index) =>
      item(`buyer-${index}-${'x'.repeat(300)}`, 'r'.repeat(128)),
    );
    const { status, json } = await bulk(many);
    expect(status).toBe(200);
    expect(json.outcomes.filter((each: { outcome: string }) => each.outcome === 'accepted')).toHaveLength(1_000);
    expect(await places()).toMatchObject({ held: 1_000, available: 0, balanced: true });
    expect((await bulk([...many, item('one-more')])).json.reason).toBe('bad_request');
  });

  it.each<[string, unknown]>([
    ['none', []],
    ['a buyer who cannot be', [item('a\0')]],
    ['a buyer too long in bytes that are counted', [item('😀'.repeat(300))]],
    ['half a unit', [item('ann', 'r1', { units: 0.5 })]],
    ['an order id of their own', [item('ann', 'r1', { orderId: ABSENT })]],
    ['an empty request id', [item('ann', '')]],
  ])('are refused as a whole with %s', async (_name, items) => {
    expect((await bulk(items)).json.reason).toBe('bad_request');
  });
});

describe('what operators see of orders', () => {
  it('is every order of a sale, by state and buyer, in pages and with what happened', async () => {
    await world.openSale('skin', { totalUnits: 30 });
    const orderIds: string[] = [];
    for (const buyer of ['ann', 'bob', 'cat']) orderIds.push(await order(buyer));
    const [first = '', second = ''] = orderIds;
    await pay(first);
    const list = async (query: string) =>
      (await world.call('GET', `/v1/admin/sales/skin/orders${query}`, { admin: true })).json;
    expect((await list('')).orders).toHaveLength(3);
    expect((await list('?state=paid')).orders).toMatchObject([{ orderId: first, buyer: 'ann', region: 'home' }]);
    expect((await list('?buyer=bob')).orders).toMatchObject([{ orderId: second, status: 'pending' }]);
    const page = await list('?limit=2');
    expect([page.orders.length, (await list(`?limit=2&after=${page.next}`)).orders.length]).toEqual([2, 1]);
    expect((await list('?state=sold')).reason).toBe('bad_request');
    expect((await world.call('GET', '/v1/admin/sales/no-such/orders', { admin: true })).status).toBe(404);

    const ended = await world.call('POST', `/v1/admin/orders/${second}/cancel`, { admin: true });
    expect([ended.status, ended.json]).toEqual([200, expect.objectContaining({ status: 'cancelled', buyer: 'bob' })]);
    const details = await world.call('GET', `/v1/admin/orders/${second}`, { admin: true });
    expect(details.json.history).toMatchObject([
      { type: 'order.settled', status: 'pending' },
      { type: 'order.cancelled', status: 'cancelled' },
    ]);
    expect((await world.call('GET', `/v1/admin/orders/${ABSENT}`, { admin: true })).status).toBe(404);
    expect((await world.call('POST', `/v1/admin/orders/${ABSENT}/cancel`, { admin: true })).status).toBe(404);
  });

  it('is also a file of all of them, which no spreadsheet computes', async () => {
    await world.openSale('skin', { totalUnits: 2_000 });
    const buyers = Array.from({ length: 1_100 }, (_, index) => (index === 0 ? '=cmd("x")' : `buyer-${index}`));
    const items = (from: number) =>
      buyers.slice(from, from + 1_000).map((buyer) => ({ saleId: 'skin', buyer, requestId: 'r', units: 1 }));
    for (const from of [0, 1_000])
      await world.call('POST', '/v1/bulk/purchases', { server: true, body: { items: items(from) } });
    const path = '/v1/admin/sales/skin/orders';
    const csv = await world.call('GET', path, { admin: true, headers: { accept: 'text/csv' } });
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'orderId,saleId,buyer,units,status,refusal,settledAtMs,dueAtMs,region,channel,kind,items,cost,currency',
    );
    expect(lines[1]).toMatch(/,limited_skin,1 skin,,$/);
    expect(lines).toHaveLength(1_101);
    expect(csv.text).toContain(`,"'=cmd(""x"")",1,pending,,`);
    expect(new Set(lines).size).toBe(1_101);

    const ndjson = await world.call('GET', `${path}?format=ndjson&buyer=buyer-7`, { admin: true });
    expect(
      ndjson.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ buyer: 'buyer-7' }]);
  });

  it('is drafts, too, which buyers do not see', async () => {
    await world.call('POST', '/v1/admin/sales', { admin: true, body: world.draftOf('secret') });
    const { json } = await world.call('GET', '/v1/admin/sales', { admin: true });
    expect(json.sales).toMatchObject([{ id: 'secret', state: 'draft' }]);
    expect((await world.call('GET', '/v1/sales')).json.sales).toEqual([]);
  });
});

describe('the events of an order', () => {
  interface Listener {
    text: string;
    readonly status: Promise<number>;
    readonly ended: Promise<unknown>;
    leave(): void;
  }

  /** On a connection of its own, which ends with it. */
  function listen(orderId: string, as = 'ann', more: Record<string, string> = {}, in_ = world): Listener {
    const headers = { authorization: `Bearer ${jwtFor(as)}`, ...more };
    const request = get(`${in_.url}/v1/orders/${orderId}/events`, { headers, agent: false });
    request.on('error', () => {});
    const response = once(request, 'response').then(([message]) => message as IncomingMessage);
    const listener = {
      text: '',
      status: response.then(({ statusCode = 0 }) => statusCode),
      ended: response.then((message) => {
        message.setEncoding('utf8').on('data', (chunk) => {
          listener.text += chunk;
        });
        return once(message, 'close');
      }),
      leave: () => request.destroy(),
    };
    listener.ended.catch(() => undefined);
    return listener;
  }

  const statusesIn = (text: string) => [...text.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status);

  it('are its state at once, each change, and an end', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    const [first, second] = [listen(orderId), listen(orderId)];
    await expect.poll(() => [first.text, second.text].map(statusesIn)).toEqual([['pending'], ['pending']]);
    expect(first.text).toMatch(/^event: order\nid: pending\.\d+\ndata: \{.*\}\n\n$/);
    await pay(orderId);
    await Promise.all([first.ended, second.ended]);
    expect(statusesIn(first.text)).toEqual(['pending', 'paid']);

    const late = listen(orderId);
    await late.ended;
    expect(statusesIn(late.text)).toEqual(['paid']);
    const [, lastId = ''] = /id: (\S+)/.exec(late.text) ?? [];
    expect(await listen(orderId, 'ann', { 'last-event-id': lastId }).status).toBe(204);
    expect(world.app.server.listening).toBe(true);
  });

  it('are for its buyer only', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    expect(await listen(orderId, 'bob').status).toBe(404);
    expect(await listen(ABSENT).status).toBe(404);
  });

  it('need no hint, and carry a heartbeat', async () => {
    const deaf = await newHttpWorld({
      stub: { watchOrders: () => () => {} },
      orderStreams: { rereadMs: 30, heartbeatMs: 20 },
    });
    await deaf.openSale('skin');
    const orderId = await order('ann', 'skin', deaf);
    const listener = listen(orderId, 'ann', {}, deaf);
    await expect.poll(() => listener.text).toContain('\n\n:\n\n');
    await deaf.engine.cancelOrder({ orderId, buyer: null, receipt: null });
    await listener.ended;
    expect(statusesIn(listener.text)).toEqual(['pending', 'cancelled']);
    await deaf.close();
  });

  it('are bounded in number, and a reader who leaves makes room', async () => {
    const small = await newHttpWorld({ orderStreams: { maxStreams: 2 } });
    await small.openSale('skin');
    const orderId = await order('ann', 'skin', small);
    const readers = [listen(orderId, 'ann', {}, small), listen(orderId, 'ann', {}, small)];
    for (const reader of readers) expect(await reader.status).toBe(200);
    const third = await small.call('GET', `/v1/orders/${orderId}/events`, { as: 'ann' });
    expect([third.status, third.json.reason, third.headers.has('retry-after')]).toEqual([503, 'busy', true]);
    readers[0]?.leave();
    await expect.poll(async () => listen(orderId, 'ann', {}, small).status).toBe(200);
    await small.close();
  });

  it('end after a while, so that who reads is judged again', async () => {
    const brief = await newHttpWorld({ orderStreams: { lifetimeMs: 50 } });
    await brief.openSale('skin');
    const reader = listen(await order('ann', 'skin', brief), 'ann', {}, brief);
    await reader.ended;
    expect(statusesIn(reader.text)).toEqual(['pending']);
    await brief.close();
  });

  it('end when the server closes, which does not wait for them', async () => {
    const closing = await newHttpWorld();
    await closing.openSale('skin');
    const orderId = await order('ann', 'skin', closing);
    const listener = listen(orderId, 'ann', {}, closing);
    await expect.poll(() => listener.text).toContain('pending');
    const startedMs = performance.now();
    await closing.close();
    await listener.ended;
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });

  it('let a reader go whose connection broke', async () => {
    const eager = await newHttpWorld({
      stub: { watchOrders: () => () => {} },
      orderStreams: { heartbeatMs: 1, maxStreams: 1 },
    });
    await eager.openSale('skin');
    const orderId = await order('ann', 'skin', eager);
    const socket = connect(eager.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `GET /v1/orders/${orderId}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${jwtFor('ann')}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    expect((await eager.call('GET', `/v1/orders/${orderId}/events`, { as: 'ann' })).status).toBe(503);
    socket.destroy();
    await expect.poll(() => listen(orderId, 'ann', {}, eager).status).toBe(200);
    await eager.close();
  });
});

describe('logs', () => {
  it('tell of payments and cancels without a key', async () => {
    await world.openSale('skin');
    const orderId = await order('ann');
    await pay(orderId);
    const log = world.logged.join('');
    expect(log).toContain('payment noted');
    expect(log).not.toMatch(/a-server-key|an-admin-key|eyJ[\w-]{10}/);
  });
});
