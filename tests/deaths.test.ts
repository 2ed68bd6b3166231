/** A process dies, or stands still, at each point of a purchase: nothing is sold twice, nothing is lost, and the others go on. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CLAIM, QUEUE_READ, QUEUE_REMOVE } from '../packages/engine/src/adapters/redis/commands.ts';
import { startRedis } from '../packages/engine/src/adapters/redis/redis-server.contract.ts';
import {
  createTestDatabase,
  type TestDatabase,
} from '../packages/engine/src/adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../packages/engine/src/adapters/sql/test-server.contract.ts';
import { createBuyerJwt } from '../packages/engine/src/adapters/system/buyer-jwt.ts';
import { type SharedSluice, startRole } from './sluice-process.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const KEYS = { adminKey: 'a'.repeat(40), jwtKey: 'j'.repeat(40), serverKey: 's'.repeat(40) };
const HOUR_MS = 3_600_000;
/** What a dead worker had in hand is taken over after 3 s, and a transaction that stands still is ended after 10. */
const OTHERS_GO_ON_MS = 40_000;

/** More than stop-at.mjs gives what was written. */
const STOPPED_AFTER_MS = 300;

/** As XINFO CONSUMERS tells of one. */
type ConsumerInfo = readonly [string, name: string, string, pending: number];

const shaOf = ({ lua }: { readonly lua: string }) => createHash('sha1').update(lua).digest('hex');
const SCRIPTS = JSON.stringify({ read: shaOf(QUEUE_READ), remove: shaOf(QUEUE_REMOVE), claim: shaOf(CLAIM) });
const STOPPER = new URL('./stop-at.mjs', import.meta.url).href;

const redis = await startRedis();
const postgres = await startTestServer('postgres', { isDurable: true });

describeWithServer('a process of several', bothOr(), (database) => {
  if ('missing' in redis) throw new Error(redis.missing);
  const { server: gate } = redis;
  let ledger: TestDatabase;
  let env: Readonly<Record<string, string>>;
  let serve: SharedSluice;
  let worker: SharedSluice;

  beforeAll(async () => {
    ledger = await createTestDatabase(database.url);
    env = {
      ...{ SLUICE_REDIS_URL: gate.url, SLUICE_DATABASE_URL: ledger.url, SLUICE_JWT_KEY: KEYS.jwtKey },
      ...{ SLUICE_ADMIN_KEY: KEYS.adminKey, SLUICE_SERVER_KEY: KEYS.serverKey },
      SLUICE_TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64url')}`,
      SLUICE_MAX_LOOP_LAG_MS: '0',
    };
    [serve, worker] = await Promise.all([startRole('serve', env), startRole('worker', env)]);
  });
  afterAll(async () => {
    for (const each of [serve, worker]) await each.end('SIGKILL');
    await ledger.drop();
    await gate.stop();
  });

  async function ask(url: string, path: string, key: string, body?: unknown) {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, says: (await response.json()) as Record<string, unknown> };
  }

  const jwtOf = createBuyerJwt({ secret: KEYS.jwtKey, buyerClaim: 'sub', lifetimeMs: HOUR_MS });
  let people = 0;
  interface Won {
    readonly orderId: unknown;
    readonly key: string;
  }
  async function tokenOf(saleId: string, key: string) {
    return (await ask(serve.url, `/v1/sales/${saleId}/token`, key, {})).says.token;
  }
  async function buy(saleId: string): Promise<Won> {
    const key = jwtOf(`victim-${people++}`);
    const answer = await ask(serve.url, `/v1/sales/${saleId}/purchases`, key, {
      ...{ token: await tokenOf(saleId, key), units: 1 },
    });
    expect(answer.status).toBe(202);
    return { orderId: answer.says.orderId, key };
  }
  async function openSale(id: string): Promise<string> {
    const window = { startsAtMs: Date.now() - HOUR_MS, endsAtMs: Date.now() + HOUR_MS };
    // In several segments: whichever worker is to stop has some of them.
    const draft = { id, title: id, totalUnits: 100, limitUnits: 1, holdMs: HOUR_MS, segments: 16, ...window };
    expect(await ask(serve.url, '/v1/admin/sales', KEYS.adminKey, draft)).toMatchObject({ status: 201 });
    expect(await ask(serve.url, `/v1/admin/sales/${id}/publish`, KEYS.adminKey, {})).toMatchObject({ status: 200 });
    return id;
  }

  const startWith = (role: 'serve' | 'worker', point: string) =>
    startRole(role, {
      ...{ ...env, NODE_OPTIONS: `--import=${STOPPER}` },
      ...{ TEST_STOP_AT: point, TEST_STOP_SCRIPTS: SCRIPTS },
    });
  const isStopped = ({ pid }: SharedSluice) => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

  /**
   * Buys until the process stands still at its point: one after the other, each when the one before is settled and the process
   * would have stopped since, so that it has nothing of a later one in hand.
   */
  async function buyUntilStopped(stopping: SharedSluice, saleId: string): Promise<Won[]> {
    const won: Won[] = [];
    while (!isStopped(stopping)) {
      expect(won.length, 'the process never came to its point').toBeLessThan(60);
      won.push(await buy(saleId));
      await expect
        .poll(async () => isStopped(stopping) || (await entriesWaiting()) === 0, { timeout: OTHERS_GO_ON_MS })
        .toBe(true);
      await sleep(STOPPED_AFTER_MS);
    }
    return won;
  }

  /** Each win is one order, every unit is somewhere, and nothing waits. */
  async function endsWell(saleId: string, won: readonly Won[]): Promise<void> {
    const all = { held: won.length, claimed: 0, available: 100 - won.length, free: 0, inTransit: 0, balanced: true };
    const areWhereTheyShould = () =>
      expect
        .poll(async () => (await ask(serve.url, `/v1/admin/sales/${saleId}/places`, KEYS.adminKey)).says, {
          ...{ timeout: OTHERS_GO_ON_MS, interval: 200 },
        })
        .toMatchObject(all);
    await areWhereTheyShould();
    for (const { orderId, key } of won) {
      expect(await ask(serve.url, `/v1/orders/${orderId}`, key)).toMatchObject({ says: { status: 'pending' } });
    }
    await expect.poll(entriesWaiting, { timeout: OTHERS_GO_ON_MS, interval: 200 }).toBe(0);
    // What was settled already, and was read again meanwhile, has moved nothing.
    await areWhereTheyShould();
  }
  async function entriesWaiting(): Promise<number> {
    const streams = await gate.admin.keys('*:stream');
    const sizes = await Promise.all(streams.map((stream) => gate.admin.xlen(stream)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Who has read anything of any sale, and how many entries they have in hand now. */
  async function readersInHand(): Promise<ReadonlyMap<string, number>> {
    const inHand = new Map<string, number>();
    for (const stream of await gate.admin.keys('*:stream')) {
      for (const [, reader, , pending] of (await gate.admin.xinfo('CONSUMERS', stream, 'workers')) as ConsumerInfo[]) {
        inHand.set(reader, (inHand.get(reader) ?? 0) + pending);
      }
    }
    return inHand;
  }

  test.each([...['after the read', 'before BEGIN', 'before COMMIT', 'after COMMIT', 'before ACK', 'after ACK']])(
    'a worker is killed %s',
    async (point) => {
      const saleId = await openSale(`killed-${point.replaceAll(' ', '-').toLowerCase()}`);
      const others = await readersInHand();
      const dying = await startWith('worker', point);
      const won = await buyUntilStopped(dying, saleId);
      // An entry is acknowledged last: until then it is the dying one's, and is taken over from it.
      const inHand = [...(await readersInHand())].filter(([reader, entries]) => !others.has(reader) && entries > 0);
      expect(inHand).toHaveLength(point === 'after ACK' ? 0 : 1);
      await dying.end('SIGKILL');
      won.push(await buy(saleId));
      await endsWell(saleId, won);
    },
  );

  test.each(['after the read', 'before COMMIT', 'before ACK'])(
    'a worker stands still %s for longer than its lease, and goes on',
    async (point) => {
      const saleId = await openSale(`stopped-${point.replaceAll(' ', '-').toLowerCase()}`);
      const slow = await startWith('worker', point);
      const won = await buyUntilStopped(slow, saleId);
      won.push(await buy(saleId));
      // The other has settled all of it meanwhile.
      await endsWell(saleId, won);
      process.kill(slow.pid, 'SIGCONT');
      won.push(await buy(saleId));
      await sleep(1_000);
      await endsWell(saleId, won);
      expect((await slow.end('SIGKILL')).code).toBeNull();
    },
  );

  test('a serve process is killed between the claim and its answer: the same token tells the order', async () => {
    const saleId = await openSale('unanswered');
    const dying = await startWith('serve', 'after the claim');
    const key = jwtOf(`victim-${people++}`);
    const body = { token: await tokenOf(saleId, key), units: 1 };
    const unanswered = ask(dying.url, `/v1/sales/${saleId}/purchases`, key, body).catch(() => 'unanswered');
    await expect.poll(() => isStopped(dying), { timeout: 20_000 }).toBe(true);
    await dying.end('SIGKILL');
    expect(await unanswered).toBe('unanswered');
    const again = await ask(serve.url, `/v1/sales/${saleId}/purchases`, key, body);
    expect(again).toMatchObject({ status: 202, says: { replayed: true } });
    await endsWell(saleId, [{ orderId: again.says.orderId, key }]);
  });
});

/** PostgreSQL when both are here; else what is missing. */
function bothOr() {
  if (!('missing' in redis)) return postgres;
  return { kind: 'missing', reason: `redis: ${redis.missing}` } as const;
}
