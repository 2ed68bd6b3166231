import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, jwtFor, newHttpWorld, SERVER_KEY } from './http-world.contract.ts';
import { createKeyedCalls } from './keyed-calls.ts';
import { createRefuser } from './outcome-to-response.ts';
import { addRoutes } from './routes/index.ts';

const world = await newHttpWorld();
afterAll(() => world.close());

type Caller = 'operator' | 'server' | 'buyer' | 'anybody';

interface FoundRoute {
  readonly method: string;
  readonly path: string;
  /** Who is let in, by the guard on the route. */
  readonly for: Caller;
}

/** Every route there is, found by asking the code, not a list. */
async function allRoutes(): Promise<readonly FoundRoute[]> {
  const routes: FoundRoute[] = [];
  const app = Fastify().withTypeProvider<TypeBoxTypeProvider>();
  const [requireBuyer, requireServer, requireOperator] = [() => {}, () => {}, () => {}];
  const callerOf = (path: string, guards: unknown): Caller => {
    if (path.startsWith('/v1/admin')) return 'operator';
    if (guards === requireServer) return 'server';
    return guards === requireBuyer ? 'buyer' : 'anybody';
  };
  app.addHook('onRoute', ({ method, url, onRequest }) => {
    const path = url.replaceAll(':orderId', 'A'.repeat(22)).replaceAll(/:\w+/g, 'some-sale');
    routes.push(...[method].flat().map((each) => ({ method: each, path, for: callerOf(path, onRequest) })));
  });
  const refuser = createRefuser({ clock: world.clock, random: Math.random, isClosing: () => false });
  addRoutes(app, {
    ...{ engine: world.engine, clock: world.clock, identity: { identify: () => null }, adminKey: ADMIN_KEY },
    ...{ serverKey: SERVER_KEY, isReady: () => true, logger: false, trustedProxies: [], devIdentity: () => '' },
    ...{ requireBuyer, requireServer, requireOperator, requireTry: () => requireBuyer, limitAddress: () => {} },
    refuser,
    keyed: createKeyedCalls(world.engine.idempotency, refuser),
    writeDocument: () => expect.unreachable(),
  });
  await app.ready();
  return routes;
}

/** Everything that is not `Bearer` and this very key, the key of the others among it. */
function wrongKeys(key: string, another: string): readonly (string | undefined)[] {
  return [
    ...[undefined, '', 'Bearer ', key, `Basic ${key}`, `Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`],
    ...[`Bearer ${key.toUpperCase()}`, `Bearer ${another}`, `Bearer ${jwtFor('ann')}`, `Bearer ${'x'.repeat(4_000)}`],
  ];
}

const routes = await allRoutes();

describe('what operators have', () => {
  const operators = routes.filter((route) => route.for === 'operator');
  const noRoutes = [
    ...[
      { method: 'GET', path: '/v1/admin' },
      { method: 'GET', path: '/v1/admin/unknown' },
    ],
    { method: 'PUT', path: '/v1/admin/sales' },
  ];

  it('is all of that is found here', () => {
    expect(operators.length).toBeGreaterThanOrEqual(11);
  });

  it.each([...operators, ...noRoutes])(
    'is closed to everybody else, by every wrong key: $method $path',
    async (route) => {
      const { method, path } = route;
      for (const authorization of wrongKeys(ADMIN_KEY, SERVER_KEY)) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const answer = await world.call(method, path, { headers, ...(method === 'POST' && { body: {} }) });
        expect(answer.status, `${authorization}`).toBe(401);
        if (method !== 'HEAD') expect(answer.json.reason).toBe('unauthenticated');
      }
      expect(await world.ledger.sales.list()).toEqual([]);
    },
  );

  it('and what back ends and buyers have is closed likewise', async () => {
    const servers = routes.filter((route) => route.for === 'server');
    expect(servers.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /v1/orders/${'A'.repeat(22)}/payment`,
      `POST /v1/orders/${'A'.repeat(22)}/fulfilment`,
      'POST /v1/bulk/purchases',
    ]);
    for (const { method, path } of servers) {
      for (const authorization of wrongKeys(SERVER_KEY, ADMIN_KEY)) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const answer = await world.call(method, path, { headers, body: {} });
        expect([answer.status, answer.json.reason], `${path} ${authorization}`).toEqual([401, 'unauthenticated']);
      }
    }
    const buyers = routes.filter((route) => route.for === 'buyer');
    expect(buyers.length).toBeGreaterThanOrEqual(6);
    for (const { method, path } of buyers) {
      for (const key of [{}, { admin: true }, { server: true }] as const) {
        expect((await world.call(method, path, key)).status, `${method} ${path}`).toBe(401);
      }
    }
  });

  it('leaves open to anybody what everybody may know, and nothing more', async () => {
    const open = routes.filter((route) => route.for === 'anybody' && route.method !== 'HEAD');
    expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      ...['GET /docs', 'GET /docs.css', 'GET /livez', 'GET /openapi.json', 'GET /readyz'],
      ...['GET /v1/sales', 'GET /v1/sales/some-sale', 'POST /dev/identity'],
    ]);
  });

  it('is nowhere else: every other route does the same with the key as without', async () => {
    const others = routes.filter((route) => route.for !== 'operator');
    expect(others.length).toBeGreaterThanOrEqual(8);
    for (const { method, path } of others) {
      const [with_, without] = [await world.call(method, path, { admin: true }), await world.call(method, path)];
      expect(with_.status, `${method} ${path}`).toBe(without.status);
    }
  });

  it('is not on a listener for buyers, and theirs is not on one for operators', async () => {
    const forBuyers = await newHttpWorld({ serves: 'buyers' });
    const forOperators = await newHttpWorld({ serves: 'operators' });
    expect((await forBuyers.call('GET', '/v1/admin/sales', { admin: true })).status).toBe(404);
    expect((await forBuyers.call('GET', '/v1/sales')).status).toBe(200);
    expect((await forOperators.call('GET', '/v1/admin/sales', { admin: true })).status).toBe(200);
    expect((await forOperators.call('GET', '/v1/sales')).status).toBe(404);
    for (const each of [forBuyers, forOperators]) expect((await each.call('GET', '/livez')).status).toBe(200);
    await forBuyers.close();
    await forOperators.close();
  });
});

describe('creating a sale', () => {
  const draft = (more: object = {}) => ({ ...world.draftOf('fresh'), ...more });
  const create = (body: unknown) => world.call('POST', '/v1/admin/sales', { admin: true, body });

  it.each<[string, object, RegExp]>([
    ['a window that ends as it starts', { startsAtMs: 1_000, endsAtMs: 1_000 }, /endsAtMs must be after startsAtMs/],
    ['a window that ends before', { startsAtMs: 1_001, endsAtMs: 1_000 }, /endsAtMs must be after startsAtMs/],
    ['2^53 units', { totalUnits: 2 ** 53 }, /totalUnits must be <= 9007199254740991/],
    ['fewer than no units', { totalUnits: -1 }, /totalUnits must be >= 0/],
    ['half a unit', { totalUnits: 1.5 }, /totalUnits must be integer/],
    ['units as text', { totalUnits: '10' }, /totalUnits must be integer/],
    ['a limit of none', { limitUnits: 0 }, /limitUnits must be >= 1/],
    ['no title', { title: '' }, /title must NOT have fewer than 1 characters/],
    ['a title with NUL', { title: 'a\0b' }, /title must match/],
    ['half a letter', { title: '\ud800' }, /title must match/],
    ['a long title', { title: 'x'.repeat(201) }, /title must NOT have more than 200/],
    ['no hold', { holdMs: 0 }, /holdMs must be >= 1000/],
    ['a hold of years', { holdMs: 1e12 }, /holdMs must be <=/],
    ['a time beyond all dates', { endsAtMs: 1e21 }, /endsAtMs must be <= 8640000000000000/],
    ['a bad id', { id: 'Spring Sale' }, /id must match/],
    ['null', { id: null }, /id must be string/],
    ['a state of its own', { state: 'live' }, /There is no field "state"/],
    ['a version of its own', { version: 9 }, /There is no field "version"/],
  ])('refuses %s, and says what is wrong', async (_name, more, message) => {
    const answer = await create(draft(more));
    expect([answer.status, answer.json.reason]).toEqual([400, 'bad_request']);
    expect(answer.json.detail).toMatch(message);
    expect(await world.ledger.sales.list()).toEqual([]);
  });

  it('tells all that is wrong at once, but not without end', async () => {
    const answer = await create({ id: 'A', title: '', extra: 1, totalUnits: -1 });
    for (const part of [/"extra"/, /id must/, /title must/, /totalUnits/, /limitUnits/, /holdMs/]) {
      expect(answer.json.detail).toMatch(part);
    }
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x${index}`, 1]));
    expect((await create(many)).json.detail.length).toBeLessThan(1_000);
  });

  it('takes the largest and the smallest that there is', async () => {
    const largest = draft({ id: 'largest', totalUnits: 2 ** 53 - 1, limitUnits: 2 ** 53 - 1, title: '春の😀' });
    const created = await create(largest);
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ ...largest, state: 'draft' });
    // Its window is open, and nobody can buy.
    const published = await world.call('POST', '/v1/admin/sales/largest/publish', { admin: true });
    expect([created.json.phase, published.json.phase]).toEqual(['draft', 'selling']);
    expect((await create(draft({ id: '0', totalUnits: 0, startsAtMs: 0, endsAtMs: 1, holdMs: 1_000 }))).status).toBe(
      201,
    );
    const list = await world.call('GET', '/v1/admin/sales/largest', { admin: true });
    expect(list.json.totalUnits).toBe(9_007_199_254_740_991);
  });
});

describe('health', () => {
  it('is ready when it was told so, and alive before', async () => {
    let isReady = false;
    const starting = await newHttpWorld({ isReady: () => isReady });
    const notYet = await starting.call('GET', '/readyz');
    expect([notYet.status, notYet.json.reason, notYet.headers.get('retry-after')]).toEqual([503, 'not_ready', '1']);
    expect((await starting.call('GET', '/livez')).json).toEqual({ status: 'live' });
    isReady = true;
    expect((await starting.call('GET', '/readyz')).json).toEqual({ status: 'ready' });
    await starting.close();
  });
});

describe('test identity', () => {
  it('is there only when it was given', async () => {
    expect((await world.call('POST', '/dev/identity', { body: { buyer: 'ann' } })).json.reason).toBe('not_found');
    const dev = await newHttpWorld({ devIdentity: (buyer) => jwtFor(buyer) });
    await dev.openSale('dev');
    const { jwt } = (await dev.call('POST', '/dev/identity', { body: { buyer: '安' } })).json;
    const headers = { authorization: `Bearer ${jwt}` };
    expect((await dev.call('POST', '/v1/sales/dev/token', { headers })).status).toBe(200);
    for (const buyer of ['', 'a\0', '\ud800', 'x'.repeat(513), 7, null]) {
      expect((await dev.call('POST', '/dev/identity', { body: { buyer } })).json.reason).toBe('bad_request');
    }
    await dev.close();
  });

  it('is for names of this machine only: a page elsewhere may have made its own name lead here', async () => {
    const dev = await newHttpWorld({ devIdentity: (buyer) => jwtFor(buyer), trustedProxies: ['127.0.0.1'] });
    const statusFor = async (host: string, more: Record<string, string> = {}) => {
      const call = { method: 'POST' as const, url: '/dev/identity', payload: { buyer: 'ann' } };
      return (await dev.app.inject({ ...call, headers: { host, ...more } })).statusCode;
    };
    for (const host of ['localhost', 'LocalHost:8460', '127.0.0.1:8460', '127.1.2.3', '[::1]:8460'])
      expect(await statusFor(host), host).toBe(200);
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example:8460',
      'x@localhost',
      '10.0.0.1',
    ])
      expect(await statusFor(host), host).toBe(404);
    expect(await statusFor('evil.example', { 'x-forwarded-host': 'localhost' })).toBe(404);
    await dev.close();
  });
});
