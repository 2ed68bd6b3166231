import { PROBLEM } from '@sluice/contract';
import { REASONS, type Reason } from '@sluice/contract/codes';
import Value from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { InvariantError } from '../domain/invariant.ts';
import type { PurchaseRequest } from '../funnel/purchase.ts';
import type { ServedEngine } from './deps.ts';
import { type Answer, type HttpWorld, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;

beforeAll(async () => {
  world = await newHttpWorld();
});
afterAll(() => world.close());

function expectProblem(answer: Answer, reason: Reason): void {
  expect(answer.json, answer.text).toMatchObject({ reason, status: REASONS[reason].status });
  expect(answer.status).toBe(REASONS[reason].status);
  expect([...Value.Errors(PROBLEM, answer.json)]).toEqual([]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-language')).toBe('en');
  expect(answer.headers.has('retry-after')).toBe(REASONS[reason].retry === 'then');
  expect(answer.headers.has('www-authenticate')).toBe(answer.status === 401);
}

describe('a purchase over HTTP', () => {
  it('goes from token to order, and the same token is the same order', async () => {
    await world.openSale('path');
    const issued = await world.call('POST', '/v1/sales/path/token', { as: 'ann' });
    expect(Object.keys(issued.json).sort()).toEqual(['earliestMs', 'latestMs', 'orderId', 'serverTimeMs', 'token']);

    const first = await world.buy('path', 'ann', issued.json.token, 2);
    const { orderId } = issued.json;
    expect(first.status).toBe(202);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.json).toEqual({
      ...{ orderId, status: 'pending', units: 2, replayed: false },
      receipt: expect.any(String),
    });

    for (let times = 0; times < 3; times++) {
      const again = await world.buy('path', 'ann', issued.json.token, 2);
      expect(again.status).toBe(202);
      expect(again.json).toEqual({ ...first.json, replayed: true });
    }

    const order = await world.call('GET', `/v1/orders/${orderId}`, { as: 'ann' });
    expect(order.json).toEqual({
      ...{ orderId, saleId: 'path', units: 2, status: 'pending', refusal: null },
      ...{ kind: 'limited_skin', items: [{ itemId: 'path', quantity: 2 }], cost: null },
      ...{ settledAtMs: expect.any(Number), dueAtMs: order.json.settledAtMs + 60_000 },
    });
    const places = await world.call('GET', '/v1/admin/sales/path/places', { admin: true });
    expect(places.json).toEqual({
      ...{ free: 0, available: 8, claimed: 0, inTransit: 0, held: 2, sold: 0, quarantined: 0 },
      ...{ total: 10, balanced: true, still: true },
    });
  });

  it('makes one order of many clicks at once', async () => {
    await world.openSale('clicks');
    const token = await world.tokenFor('clicks', 'ann');
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.buy('clicks', 'ann', token)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 202));
    expect(new Set(answers.map((answer) => answer.json.orderId)).size).toBe(1);
    expect(answers.filter((answer) => !answer.json.replayed)).toHaveLength(1);
    expect((await world.call('GET', '/v1/admin/sales/clicks/places', { admin: true })).json.held).toBe(1);
  });

  it('answers a win again when its token has run out, and nobody else', async () => {
    await world.openSale('late', { endsAtMs: world.clock.nowMs() + 1_000 });
    const [won, unused] = [await world.tokenFor('late', 'ann'), await world.tokenFor('late', 'bob')];
    const first = await world.buy('late', 'ann', won);
    world.advance(1_000 + 10 * 60_000);
    const again = await world.buy('late', 'ann', won);
    expect(again).toMatchObject({ status: 202, json: { orderId: first.json.orderId, replayed: true } });
    expectProblem(await world.buy('late', 'bob', unused), 'token_expired');
  });

  it('shows buyers a sale without its stock, and operators all of it', async () => {
    await world.openSale('views');
    const [forBuyers, forOperators] = await Promise.all([
      world.call('GET', '/v1/sales/views'),
      world.call('GET', '/v1/admin/sales/views', { admin: true }),
    ]);
    const shared = {
      ...{ id: 'views', title: 'Sale views', state: 'live', phase: 'selling', limitUnits: 2, limitGroup: null },
      ...{ kind: 'limited_skin', items: [{ itemId: 'views', quantity: 1 }], price: null, timeZone: 'UTC' },
    };
    const times = { startsAtMs: expect.any(Number), endsAtMs: expect.any(Number), serverTimeMs: expect.any(Number) };
    const texts = { startsAt: expect.stringMatching(/\+00:00$/), endsAt: expect.any(String) };
    expect(forBuyers.json).toEqual({ ...shared, ...times, ...texts, unitsLeft: true });
    expect(forOperators.json).toEqual({
      ...{ ...shared, ...times, ...texts },
      totalUnits: 10,
      holdMs: 60_000,
      segments: 1,
      version: expect.any(Number),
    });
    const list = await world.call('GET', '/v1/sales');
    expect(list.json.sales.find((sale: { id: string }) => sale.id === 'views')).toMatchObject({ ...shared });
  });

  it('keeps a draft from buyers until it is published', async () => {
    await world.call('POST', '/v1/admin/sales', { admin: true, body: world.draftOf('draft') });
    expectProblem(await world.call('GET', '/v1/sales/draft'), 'not_found');
    expectProblem(await world.call('POST', '/v1/sales/draft/token', { as: 'ann' }), 'not_found');
    expect((await world.call('GET', '/v1/sales')).text).not.toContain('"draft"');
    expect((await world.call('GET', '/v1/admin/sales/draft', { admin: true })).json.state).toBe('draft');
    await world.call('POST', '/v1/admin/sales/draft/publish', { admin: true });
    expect((await world.call('GET', '/v1/sales/draft')).json.state).toBe('live');
  });
});

describe('refusals that a buyer or an operator can meet', () => {
  const soon = () => ({ startsAtMs: world.clock.nowMs() + 60_000 });
  const draftOf = (id: string) => world.draftOf(id);

  /** By reason, what brings it about. */
  const ways: Partial<Record<Reason, () => Promise<Answer>>> = {
    bad_request: () => world.buy('none', 'ann', 'x', 'one'),
    unauthenticated: () => world.call('POST', '/v1/sales/none/token'),
    token_invalid: () => world.buy('none', 'ann', 'x'),
    async token_foreign() {
      await world.openSale('foreign');
      return world.buy('foreign', 'bob', await world.tokenFor('foreign', 'ann'));
    },
    not_found: () => world.call('GET', '/v1/nowhere'),
    method_not_allowed: () => world.call('DELETE', '/v1/sales'),
    async too_early() {
      await world.openSale('early', soon());
      return world.buy('early', 'ann', await world.tokenFor('early', 'ann'));
    },
    async paused() {
      await world.openSale('paused', { totalUnits: 1_000 });
      await world.ledger.sales.operate('paused', 'pause');
      let tries = 0;
      return until('paused', async () => {
        const buyer = `buyer-${tries++}`;
        return world.buy('paused', buyer, await world.tokenFor('paused', buyer));
      });
    },
    async closed() {
      await world.openSale('closed');
      await world.ledger.sales.operate('closed', 'close');
      return until('closed', () => world.call('POST', '/v1/sales/closed/token', { as: 'ann' }));
    },
    async sold_out() {
      await world.openSale('empty', { totalUnits: 0 });
      return world.buy('empty', 'ann', await world.tokenFor('empty', 'ann'));
    },
    async none_left_now() {
      await world.openSale('gone', { totalUnits: 1 });
      await world.buy('gone', 'ann', await world.tokenFor('gone', 'ann'));
      return world.buy('gone', 'bob', await world.tokenFor('gone', 'bob'));
    },
    async not_enough_left() {
      await world.openSale('few', { totalUnits: 1 });
      const answer = await world.buy('few', 'ann', await world.tokenFor('few', 'ann'), 2);
      expect(answer.json.left).toBe(1);
      return answer;
    },
    async over_limit() {
      await world.openSale('limit');
      const first = await world.buy('limit', 'ann', await world.tokenFor('limit', 'ann'), 2);
      const answer = await world.buy('limit', 'ann', await world.tokenFor('limit', 'ann'), 1);
      expect(answer.json.liveOrderIds).toEqual([first.json.orderId]);
      return answer;
    },
    async content_differs() {
      await world.openSale('differs');
      const token = await world.tokenFor('differs', 'ann');
      await world.buy('differs', 'ann', token, 1);
      return world.buy('differs', 'ann', token, 2);
    },
    async exists() {
      await world.openSale('twice');
      return world.call('POST', '/v1/admin/sales', { admin: true, body: draftOf('twice') });
    },
    async wrong_state() {
      await world.openSale('ended');
      await world.ledger.sales.operate('ended', 'close');
      return world.call('POST', '/v1/admin/sales/ended/resume', { admin: true });
    },
    payload_too_large: () => world.buy('none', 'ann', 'x'.repeat(5_000)),
    unsupported_media_type: () =>
      world.call('POST', '/v1/sales/none/purchases', {
        as: 'ann',
        body: 'a=1',
        headers: { 'content-type': 'text/plain' },
      }),
    async not_ready() {
      await world.openSale('lost');
      const token = await world.tokenFor('lost', 'ann');
      world.store.lose();
      return world.buy('lost', 'ann', token);
    },
    async over() {
      await world.openSale('over', { endsAtMs: world.clock.nowMs() + 1_000 });
      const token = await world.tokenFor('over', 'ann');
      world.advance(1_000);
      expectProblem(await world.call('POST', '/v1/sales/over/token', { as: 'ann' }), 'over');
      return world.buy('over', 'ann', token);
    },
    async token_expired() {
      await world.openSale('expired', { endsAtMs: world.clock.nowMs() + 1_000 });
      const token = await world.tokenFor('expired', 'ann');
      world.advance(1_000 + 10 * 60_000);
      return world.buy('expired', 'ann', token);
    },
  };

  /** The keeper brings a change of state to the gate within its round. */
  async function until(reason: Reason, ask: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 0; tries < 50; tries++) {
      const answer = await ask();
      if (answer.json.reason === reason) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`never ${reason}`);
  }

  it.each(Object.entries(ways))('%s', async (reason, meet) => {
    expectProblem(await meet(), reason as Reason);
  });

  it('tells when to come back: at the start for those who are early', async () => {
    await world.openSale('when', soon());
    const answer = await world.buy('when', 'ann', await world.tokenFor('when', 'ann'));
    const { startsAtMs } = (await world.call('GET', '/v1/sales/when')).json;
    expect(answer.json.retryAtMs).toBe(startsAtMs);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(57);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});

describe('refusals of an engine in every mood', () => {
  let purchase: ServedEngine['purchase'];
  let listSales: ServedEngine['listSales'];
  let dice = 0;
  let moody: HttpWorld;

  beforeAll(async () => {
    const stub = { purchase: (request: PurchaseRequest) => purchase(request), listSales: () => listSales() };
    moody = await newHttpWorld({ stub, random: () => dice });
  });
  afterAll(() => moody.close());

  it.each(Object.keys(REASONS) as Reason[])('%s is worded by its row of the table', async (reason) => {
    purchase = async () => ({ kind: 'refused', reason });
    dice = 0.999;
    const answer = await moody.buy('any', 'ann', 'any');
    expectProblem(answer, reason);
    // Who is told that something is not there is told what.
    const detail = reason === 'not_found' ? 'There is no sale "any".' : REASONS[reason].en;
    expect(answer.json).toEqual({
      ...{ type: `urn:sluice:reason:${reason}`, title: REASONS[reason].en, detail },
      ...{ status: REASONS[reason].status, reason },
    });
    if (REASONS[reason].retry === 'then') expect(answer.headers.get('retry-after')).toBe('3');
  });

  it('says how long to wait, and spreads those who come again', async () => {
    purchase = async () => ({ kind: 'refused', reason: 'busy', retryAfterMs: 1_500 });
    const seconds: unknown[] = [];
    for (dice of [0, 0.5, 0.999]) {
      const answer = await moody.buy('any', 'ann', 'any');
      expect(answer.json.retryAfterMs).toBe(1_500);
      seconds.push(answer.headers.get('retry-after'));
    }
    expect(seconds).toEqual(['2', '3', '4']);
  });

  it('asks nobody to come again at once, even when the time has come meanwhile', async () => {
    purchase = async () => ({ kind: 'refused', reason: 'too_early', retryAtMs: moody.clock.nowMs() - 5_000 });
    dice = 0;
    expect((await moody.buy('any', 'ann', 'any')).headers.get('retry-after')).toBe('1');
  });

  const leak = 'password=hunter2';
  it.each<[string, unknown, Reason]>([
    ['a fault that may pass', new Fault('ledger_unavailable', leak), 'busy'],
    ['an answer that was lost', new Fault('outcome_unknown', leak), 'busy'],
    ['a fault that stays', new Fault('ledger_constraint', leak), 'internal'],
    ['a broken promise', new InvariantError(leak), 'internal'],
    ['an error', new Error(leak), 'internal'],
    ['an error with a status of its own', Object.assign(new Error(leak), { statusCode: 503 }), 'internal'],
    ['null', null, 'internal'],
    ['a text', leak, 'internal'],
  ])('answers %s with a problem and without its message, and logs it', async (_name, thrown, reason) => {
    purchase = () => Promise.reject(thrown);
    listSales = () => Promise.reject(thrown);
    moody.logged.length = 0;
    for (const answer of [await moody.buy('any', 'ann', 'any'), await moody.call('GET', '/v1/sales')]) {
      expectProblem(answer, reason);
      expect(answer.text).not.toContain('hunter2');
    }
    expect(
      moody.logged.filter((line) => line.includes(reason === 'busy' ? 'met a fault' : 'a request broke')),
    ).toHaveLength(2);
  });

  it('still answers when a route throws before it waits for anything', async () => {
    purchase = () => {
      throw new Fault('gate_unavailable', leak);
    };
    expectProblem(await moody.buy('any', 'ann', 'any'), 'busy');
  });
});
