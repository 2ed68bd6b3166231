/** Two ledgers, one Redis: whether the other is gone or sells at this moment, nothing of it is taken for ours. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { createTestDatabase, type TestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { loadConfig } from '../config/load.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { type EmbeddedDeployment, startEmbedded } from './start-embedded.ts';

const redis = await startRedis();
const postgres = await startTestServer('postgres');
const both = 'missing' in redis ? ({ kind: 'missing', reason: `redis: ${redis.missing}` } as const) : postgres;

const SLOW_MS = 120_000;
const SALE = 'shared-skin';
const UNITS = 5;

interface Running extends EmbeddedDeployment {
  readonly database: string | null;
  readonly logged: string[];
}

describeWithServer('a Redis that has another ledger’s sales', both, ({ url }) => {
  if ('missing' in redis) throw new Error(redis.missing);
  const { server } = redis;
  const databases: TestDatabase[] = [];
  const directories: string[] = [];
  const running: Running[] = [];

  beforeEach(() => server.admin.flushall());
  afterEach(async () => {
    for (const deployment of running.splice(0)) await deployment.stop();
    for (const database of databases.splice(0)) await database.drop();
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
  afterAll(() => server.stop());

  /** On a database of its own, which is new, and the Redis that all share. */
  async function start(): Promise<Running> {
    const database = await createTestDatabase(url);
    databases.push(database);
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-ledgers-'));
    directories.push(dataDir);
    // A busy machine must not turn the buyers away.
    const flags = { port: '0', dataDir, maxLoopLagMs: '0' };
    const env = { SLUICE_REDIS_URL: server.url, SLUICE_DATABASE_URL: database.url };
    const loaded = loadConfig({ env, file: null, flags });
    if (loaded.kind === 'mistaken') throw new Error(JSON.stringify(loaded.mistakes));
    const logged: string[] = [];
    const deployment = await startEmbedded({
      settings: loaded.settings,
      log: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
      onCrash: (error) => {
        throw error;
      },
    });
    running.push({ ...deployment, logged });
    return { ...deployment, logged };
  }
  async function stop(deployment: Running): Promise<void> {
    running.splice(
      running.findIndex(({ dataDir }) => dataDir === deployment.dataDir),
      1,
    );
    await deployment.stop();
  }

  async function openSale({ engine }: Running): Promise<void> {
    const nowMs = Date.now();
    await engine.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC', segments: 2 },
      ...{ id: SALE, title: SALE, totalUnits: UNITS, limitUnits: 1, holdMs: 600_000 },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
    });
    await engine.operateSale(SALE, 'publish');
  }

  async function buy({ engine }: Running, buyerId: string): Promise<string> {
    const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
    for (;;) {
      const issued = await engine.issueToken(SALE, buyer);
      const answer =
        issued.kind === 'refused'
          ? issued
          : await engine.purchase({ saleId: SALE, buyer, token: issued.token, units: 1 });
      if (answer.kind === 'accepted') return 'accepted';
      if (answer.reason !== 'busy' && answer.reason !== 'not_ready') return answer.reason;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** More buyers than units, and where the units are once all is settled. */
  async function sellOut(deployment: Running, name: string): Promise<void> {
    const buyers = Array.from({ length: 2 * UNITS }, (_, at) => `${name}${at}`);
    const told = await Promise.all(buyers.map((buyer) => buy(deployment, buyer)));
    expect(told.filter((each) => each === 'accepted')).toHaveLength(UNITS);
    const { engine } = deployment;
    const orders = async () => (await engine.listOrders({}, null, 100)).orders.map(({ buyerId }) => buyerId);
    await expect.poll(async () => (await orders()).length, { timeout: 20_000 }).toBe(UNITS);
    expect((await orders()).filter((buyer) => !buyer.startsWith(name))).toEqual([]);
    const where = { isBalanced: true, places: { held: UNITS, free: 0, available: 0 } };
    await expect.poll(() => engine.readPlaces(SALE), { timeout: 20_000 }).toMatchObject({ reading: where });
  }

  test('sells them as new when its own database was made anew, and says what is left over', {
    timeout: SLOW_MS,
  }, async () => {
    const first = await start();
    await openSale(first);
    await sellOut(first, 'ann');
    await stop(first);

    const second = await start();
    expect(second.logged.join('')).toMatch(
      /also holds sales of another ledger, \w+ \(5 segments\), which no process uses/,
    );
    await openSale(second);
    await sellOut(second, 'ben');
  });

  test('sells both at the same moment, each its own', { timeout: SLOW_MS }, async () => {
    const first = await start();
    await openSale(first);
    const second = await start();
    expect(second.logged.join('')).toContain('Another deployment sells from this Redis');
    await openSale(second);
    await Promise.all([sellOut(first, 'ann'), sellOut(second, 'ben')]);
    // Nor does either take the other's word for it later.
    expect(await buy(first, 'cyd')).toMatch(/sold_out|none_left_now/);
    await second.engine.receiveStock(SALE, { id: 'more', units: 1 });
    await expect.poll(() => buy(second, 'dan'), { timeout: 20_000 }).toBe('accepted');
    expect(await buy(first, 'dan')).toMatch(/sold_out|none_left_now/);
  });
});
