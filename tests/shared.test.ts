/** A deployment of several processes, over one Redis and one PostgreSQL, of which each may die in the middle of a rush. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRedis } from '../packages/engine/src/adapters/redis/redis-server.contract.ts';
import {
  createTestDatabase,
  type TestDatabase,
} from '../packages/engine/src/adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../packages/engine/src/adapters/sql/test-server.contract.ts';
import { createBuyerJwt } from '../packages/engine/src/adapters/system/buyer-jwt.ts';
import type { RushReport } from '../packages/engine/src/bench/rush.ts';
import { segmentOfBuyer } from '../packages/engine/src/domain/inventory/segment-of-buyer.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { type Crowd, runSluice, rushWithKeys, type SharedSluice, startRole } from './sluice-process.ts';

// A machine under load takes its time for five processes and a crowd.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** A lost gate sells again within this. */
const SELLS_AGAIN_MS = 5_000;
const SCRIPTS_FLUSHED_EVERY_MS = 200;
/** No promise but that it comes: a busy machine takes its time for what is asked of five processes. */
const FINDS_REDIS_MS = 30_000;
const ARRIVES_MS = 30_000;

/** A unit that came back is sold by every process within a second; a busy machine takes its time. */
const REOPENS_MS = 3_000;
const SETTLED = 'sluice_settlement_duration_seconds_count';
const CANCELLED = 'sluice_orders_total{state="cancelled"}';

const KEYS = { adminKey: 'a'.repeat(40), jwtKey: 'j'.repeat(40), serverKey: 's'.repeat(40) };
const PEOPLE = {
  ...{ buyers: 350, overMs: 1_500, connections: 50 },
  // Nobody gives up because the machine is busy.
  ...{ retries: 0.25, secondTokens: 0.1, patienceMs: 180_000 },
};

const redis = await startRedis();
const postgres = await startTestServer('postgres', { isDurable: true });

describeWithServer('processes that share a Redis and a PostgreSQL', bothOr(), (database) => {
  if ('missing' in redis) throw new Error(redis.missing);
  const { server: gate } = redis;
  let ledger: TestDatabase;
  let env: Readonly<Record<string, string>>;
  let serves: SharedSluice[];
  let workers: SharedSluice[];
  let balancer: Balancer;

  beforeAll(async () => {
    ledger = await createTestDatabase(database.url);
    env = {
      ...{ SLUICE_REDIS_URL: gate.url, SLUICE_DATABASE_URL: ledger.url, SLUICE_JWT_KEY: KEYS.jwtKey },
      ...{ SLUICE_ADMIN_KEY: KEYS.adminKey, SLUICE_SERVER_KEY: KEYS.serverKey },
      SLUICE_TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64url')}`,
      // A busy machine must not turn the buyers away.
      SLUICE_MAX_LOOP_LAG_MS: '0',
    };
    const [first, second, third, fourth] = await Promise.all([
      ...[startRole('serve', env), startRole('serve', env), startRole('worker', env), startRole('worker', env)],
    ] as const);
    serves = [first, second];
    workers = [third, fourth];
    balancer = await openBalancer(serves.map(({ port }) => port));
  });

  afterAll(async () => {
    balancer.close();
    for (const each of [...serves, ...workers]) await each.end('SIGKILL');
    await ledger.drop();
    await gate.stop();
  });

  const rush = (crowd: Crowd) => rushWithKeys({ url: balancer.url, ...KEYS }, { ...PEOPLE, ...crowd });

  interface Asked {
    readonly key: string;
    readonly body?: unknown;
    /** Of the call, for who repeats it. */
    readonly idempotencyKey?: string;
  }

  async function ask(url: string, path: string, { key, body, idempotencyKey }: Asked) {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, isReplayed, says: (await response.json()) as Record<string, unknown> };
  }

  const jwtOf = createBuyerJwt({ secret: KEYS.jwtKey, buyerClaim: 'sub', lifetimeMs: 3_600_000 });
  let visitors = 0;
  /** One purchase of somebody new, over the serve process that is named. */
  async function buy({ url }: SharedSluice, saleId: string, key = jwtOf(`visitor-${visitors++}`)) {
    const issued = await ask(url, `/v1/sales/${saleId}/token`, { key, body: {} });
    if (issued.status !== 201 && issued.status !== 200) return issued;
    return ask(url, `/v1/sales/${saleId}/purchases`, { key, body: { token: issued.says.token, units: 1 } });
  }

  /** Comes again while it is told to. */
  async function buyUntilClear(serve: SharedSluice, saleId: string, key: string) {
    for (;;) {
      const answer = await buy(serve, saleId, key);
      if (answer.status !== 503) return answer;
      await sleep(100);
    }
  }

  async function createSale(id: string, totalUnits: number, segments = 1) {
    const [{ url }] = serves as [SharedSluice];
    const hourMs = 3_600_000;
    const window = { startsAtMs: Date.now() - hourMs, endsAtMs: Date.now() + hourMs };
    const draft = { id, title: id, totalUnits, limitUnits: 1, holdMs: hourMs, segments, ...window };
    expect(await ask(url, '/v1/admin/sales', { key: KEYS.adminKey, body: draft })).toMatchObject({ status: 201 });
    const published = await ask(url, `/v1/admin/sales/${id}/publish`, { key: KEYS.adminKey, body: {} });
    expect(published).toMatchObject({ status: 200 });
  }

  async function figure({ url }: SharedSluice, name: string): Promise<number> {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEYS.adminKey}` } });
    const line = (await response.text()).split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  }

  const placesOf = async (saleId: string) =>
    (await ask(balancer.url, `/v1/admin/sales/${saleId}/places`, { key: KEYS.adminKey })).says;

  function expectAllSold({ violations, outcomes, places, units }: RushReport, stock: number) {
    expect(violations).toEqual([]);
    expect(outcomes).not.toHaveProperty('gave_up');
    expect(units).toBe(stock);
    expect(places).toMatchObject({ held: stock, available: 0, free: 0, total: stock, balanced: true, still: true });
  }

  test('sell three sales, of which one serves what the other created, each to its last unit', async () => {
    const stocks = [101, 157, 200];
    for (const [index, stock] of stocks.entries()) await createSale(`shared-${index}`, stock);
    const seen = await ask(serves[1]?.url ?? '', '/v1/sales/shared-0', { key: jwtOf('ann') });
    expect(seen).toMatchObject({ status: 200, says: { id: 'shared-0' } });
    const reports = await Promise.all(
      stocks.map((_, seed) => rush({ sale: { kind: 'existing', id: `shared-${seed}` }, buyers: 800, seed })),
    );
    for (const [index, report] of reports.entries()) expectAllSold(report, stocks[index] ?? 0);
    for (const each of [...serves, ...workers]) expect((await fetch(`${each.url}/readyz`)).status).toBe(200);
    const settled = await Promise.all([...serves, ...workers].map((each) => figure(each, SETTLED)));
    expect(settled.slice(0, 2)).toEqual([0, 0]);
    expect(settled.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  });

  test('are one deployment: what one was told, the others know', async () => {
    const [here, there] = serves as [SharedSluice, SharedSluice];
    await createSale('single', 1);
    const [ann, ben] = [jwtOf('ann'), jwtOf('ben')];
    const bought = await buy(here, 'single', ann);
    expect(bought.status).toBe(202);
    const order = `/v1/orders/${bought.says.orderId}`;
    expect((await ask(there.url, order, { key: ann })).status).toBe(200);
    const status = async () => (await ask(there.url, order, { key: ann })).says.status;
    await expect.poll(status, { timeout: ARRIVES_MS }).toBe('pending');
    expect((await buy(there, 'single', ben)).says).toMatchObject({ reason: 'none_left_now' });

    const cancel = { key: ann, body: {}, idempotencyKey: 'once' };
    expect(await ask(here.url, `${order}/cancel`, cancel)).toMatchObject({ status: 200, isReplayed: false });
    expect(await ask(there.url, `${order}/cancel`, cancel)).toMatchObject({ status: 200, isReplayed: true });
    const sells = async () => (await buy(there, 'single', ben)).status;
    await expect.poll(sells, { timeout: REOPENS_MS, interval: 50 }).toBe(202);

    // Each counts what it did itself, so that a sum over all of them is the truth.
    const cancelled = await Promise.all([...serves, ...workers].map((each) => figure(each, CANCELLED)));
    expect(cancelled.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  test('lose nothing when a worker and a serve process are killed, and the others sell on', async () => {
    await createSale('beside', 20);
    const rushing = rush({ sale: { kind: 'fresh', stock: 200, limit: 1 } });
    await sleep(700);
    await workers[0]?.end('SIGKILL');
    const [dead, alive] = serves as [SharedSluice, SharedSluice];
    await dead.end('SIGKILL');
    expect(await buy(alive, 'beside')).toMatchObject({ status: 202 });
    expectAllSold(await rushing, 200);
    expect(await buy(alive, 'beside')).toMatchObject({ status: 202 });
    [serves[0], workers[0]] = await Promise.all([startRole('serve', env, dead.port), startRole('worker', env)]);
    expect(await buy(serves[0], 'beside')).toMatchObject({ status: 202 });
  });

  test('sell again within seconds when Redis comes back empty, and never more than there is', async () => {
    await createSale('probe', 20);
    const rushing = rush({ sale: { kind: 'fresh', stock: 200, limit: 1 } });
    await sleep(700);
    await gate.crash();
    await sleep(200);
    await gate.restart();
    for (const serve of serves) {
      const sells = async () => (await buy(serve, 'probe')).status;
      await expect.poll(sells, { timeout: SELLS_AGAIN_MS, interval: 100 }).toBe(202);
    }
    const { violations, places } = await rushing;
    // What was only queued is lost with a Redis that keeps nothing: its buyer comes again, and may find the sale empty.
    expect(violations.filter(({ name }) => name !== 'win_lost')).toEqual([]);
    expect(places).toMatchObject({ held: 200, available: 0, free: 0, total: 200, balanced: true, still: true });
  });

  test.skipIf(!database.crash)('go on when PostgreSQL is killed and comes back', async () => {
    const rushing = rush({ sale: { kind: 'fresh', stock: 200, limit: 1 } });
    await sleep(700);
    database.crash?.();
    await sleep(500);
    await database.restart?.();
    expectAllSold(await rushing, 200);
  });

  test('sell on while Redis forgets its scripts again and again (K24)', async () => {
    const flushing = setInterval(() => void gate.admin.script('FLUSH'), SCRIPTS_FLUSHED_EVERY_MS);
    try {
      expectAllSold(await rush({ sale: { kind: 'fresh', stock: 150, limit: 1 }, buyers: 300 }), 150);
    } finally {
      clearInterval(flushing);
    }
  });

  test('are not ready without a worker, and sell when one comes', async () => {
    await createSale('waiting', 5);
    for (const worker of workers.splice(0)) expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 });
    try {
      await gate.crash();
      await gate.restart();
      const answerOf = async (serve: SharedSluice) => (await buy(serve, 'waiting')).says.reason;
      // Until it has found Redis again, a process is busy.
      for (const serve of serves)
        await expect.poll(() => answerOf(serve), { timeout: FINDS_REDIS_MS }).toBe('not_ready');
      for (let tries = 0; tries < 6; tries++) {
        const answer = await buy(serves[tries % 2] as SharedSluice, 'waiting');
        expect(answer).toMatchObject({ status: 503, says: { reason: expect.stringMatching(/^(not_ready|busy)$/) } });
        await sleep(200);
      }
    } finally {
      // The tests after this one need it, too.
      workers.push(await startRole('worker', env));
    }
    for (const serve of serves) {
      const sells = async () => (await buy(serve, 'waiting')).status;
      await expect.poll(sells, { timeout: SELLS_AGAIN_MS, interval: 100 }).toBe(202);
    }
    await expect
      .poll(() => placesOf('waiting'), { timeout: ARRIVES_MS })
      .toMatchObject({ held: 2, available: 3, balanced: true });
  });

  test('sell a sale in sixteen segments to its last unit, of ten thousand and seven', async () => {
    const sale = { kind: 'fresh', stock: 10_007, limit: 5, segments: 16 } as const;
    const report = await rush({
      ...{ sale, buyers: 3_500, units: 3, overMs: 3_000 },
      retries: 0.02,
    });
    expect(report.violations).toEqual([]);
    // Two are left, wherever they are, and sold to whoever asks for no more.
    const last = await rush({ sale: { kind: 'existing', id: report.sale }, buyers: 10 });
    expectAllSold({ ...last, units: report.units + last.units }, 10_007);
  });

  test('sell the last units of sixteen segments to the buyers of one', async () => {
    await createSale('tail', 16, 16);
    const ids = Array.from({ length: 1_000 }, (_, number) => `neighbour-${number}`);
    const neighbours = ids.filter((id) => segmentOfBuyer('tail', id, 16) === 3).slice(0, 20);
    const answers = await Promise.all(
      neighbours.map((id, at) => buyUntilClear(serves[at % 2] as SharedSluice, 'tail', jwtOf(id))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...new Array<number>(16).fill(202), ...new Array<number>(4).fill(409)]);
    expect(answers.filter(({ status }) => status === 409).map(({ says }) => says.reason)).toEqual(
      new Array<string>(4).fill('none_left_now'),
    );
    await expect
      .poll(() => placesOf('tail'), { timeout: ARRIVES_MS })
      .toMatchObject({ held: 16, available: 0, free: 0, balanced: true });
  });

  test('end when they are told to', async () => {
    for (const each of [...serves.splice(0), ...workers.splice(0)]) {
      expect(await each.end('SIGTERM')).toMatchObject({ code: 0 });
    }
  });
});

test.each(['serve', 'worker'])('%s names every setting that is missing, in one sentence', async (role) => {
  const { code, stdout, stderr } = await runSluice([role, '--port', '0'], { SLUICE_JWT_KEY: KEYS.jwtKey });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
  for (const name of ['REDIS_URL', 'DATABASE_URL', 'ADMIN_KEY', 'SERVER_KEY', 'TOKEN_KEYS']) {
    expect(stderr).toContain(`SLUICE_${name}`);
  }
  expect(stderr).not.toContain('SLUICE_JWT_KEY');
});

/** PostgreSQL when both are here; else what is missing. */
function bothOr() {
  if (!('missing' in redis)) return postgres;
  return { kind: 'missing', reason: `redis: ${redis.missing}` } as const;
}
