/** A crowd at three sales of one limit group, of whom each tries all three at the same moment: one for each, and no unit lost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { createTestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { loadConfig } from '../config/load.ts';
import { Fault } from '../domain/fault.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { isLive } from '../domain/order/order.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { type EmbeddedDeployment, startEmbedded } from './start-embedded.ts';

const SLOW_MS = 120_000;
const SALES = ['dragon', 'phoenix', 'tiger'] as const;
const BUYERS = 120;
const UNITS = 30;
const COME_AGAIN_MS = 100;

const running: EmbeddedDeployment[] = [];
const directories: string[] = [];
afterEach(async () => {
  for (const deployment of running.splice(0)) await deployment.stop();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

async function start(env: Readonly<Record<string, string>>): Promise<EmbeddedDeployment> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-groups-'));
  directories.push(dataDir);
  // A busy machine must not turn the buyers away.
  const loaded = loadConfig({ env, file: null, flags: { port: '0', dataDir, maxLoopLagMs: '0' } });
  if (loaded.kind === 'mistaken') throw new Error(JSON.stringify(loaded.mistakes));
  const deployment = await startEmbedded({
    settings: loaded.settings,
    log: pino({ level: 'silent' }),
    onCrash: (error) => {
      throw error;
    },
  });
  running.push(deployment);
  const nowMs = Date.now();
  for (const id of SALES) {
    const created = await deployment.engine.createSale({
      ...{ id, title: id, offer: plainOffer('skin'), timeZone: 'UTC', holdMs: 600_000 },
      ...{ totalUnits: UNITS, limitUnits: 1, limitGroup: 'zodiac' },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
    });
    expect(created.kind).toBe('created');
    await deployment.engine.operateSale(id, 'publish');
  }
  return deployment;
}

/** What is worth another try is tried again. */
async function buy({ engine }: EmbeddedDeployment, saleId: string, buyerId: string): Promise<string> {
  const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
  const ask = async () => {
    const issued = await engine.issueToken(saleId, buyer);
    return issued.kind === 'issued' ? engine.purchase({ saleId, buyer, token: issued.token, units: 1 }) : issued;
  };
  for (;;) {
    const answer = await ask().catch((error: unknown) => {
      if (error instanceof Fault && error.retryable) return null;
      throw error;
    });
    if (answer?.kind === 'accepted') return 'accepted';
    if (answer !== null && !['busy', 'not_ready', 'late'].includes(answer.reason)) return answer.reason;
    await new Promise((resolve) => setTimeout(resolve, COME_AGAIN_MS));
  }
}

/** By buyer, what each of the three sales answered. */
function crowdAt(deployment: EmbeddedDeployment): Promise<readonly (readonly string[])[]> {
  const visit = (_: unknown, at: number) => Promise.all(SALES.map((saleId) => buy(deployment, saleId, `buyer-${at}`)));
  return Promise.all(Array.from({ length: BUYERS }, visit));
}

/** How many live orders each buyer has, who has any; once nothing is queued any more. */
async function ordersOf({ engine }: EmbeddedDeployment): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const saleId of SALES) {
    await expect
      .poll(() => engine.readPlaces(saleId), { timeout: SLOW_MS / 2 })
      .toMatchObject({ reading: { isBalanced: true, isStill: true, places: { claimed: 0, inTransit: 0 } } });
    const { orders } = await engine.listOrders({ saleId }, null, 1_000);
    for (const { buyerId } of orders.filter((order) => isLive(order.state))) {
      counts.set(buyerId, (counts.get(buyerId) ?? 0) + 1);
    }
  }
  return counts;
}

async function expectOneForEach(deployment: EmbeddedDeployment): Promise<void> {
  const answers = await crowdAt(deployment);
  for (const each of answers) {
    expect(each.filter((answer) => answer === 'accepted').length, each.join()).toBeLessThanOrEqual(1);
    if (each.includes('over_limit')) expect(each).toContain('accepted');
  }
  const counts = await ordersOf(deployment);
  expect(counts.size).toBe(SALES.length * UNITS);
  expect(new Set(counts.values())).toEqual(new Set([1]));
}

describe('a limit group with its gate in memory and its ledger on SQLite', { timeout: SLOW_MS }, () => {
  test('sells each buyer one of the three, and all that there is', async () => {
    await expectOneForEach(await start({}));
  });
});

const redis = await startRedis();
const postgres = await startTestServer('postgres');
const both = 'missing' in redis ? ({ kind: 'missing', reason: redis.missing } as const) : postgres;

describeWithServer('a limit group with its gate in Redis and its ledger in PostgreSQL', both, (database) => {
  if ('missing' in redis) throw new Error(redis.missing);
  const { server } = redis;
  afterAll(() => server.stop());

  async function onServers(use: (deployment: EmbeddedDeployment) => Promise<void>): Promise<void> {
    await server.admin.flushall();
    const { url, drop } = await createTestDatabase(database.url);
    const deployment = await start({ SLUICE_REDIS_URL: server.url, SLUICE_DATABASE_URL: url });
    await use(deployment);
    for (const each of running.splice(0)) await each.stop();
    await drop();
  }

  test('sells each buyer one of the three, and all that there is', { timeout: SLOW_MS }, () =>
    onServers(expectOneForEach),
  );

  test('sells nobody two when the gate is lost in the middle', { timeout: SLOW_MS }, () =>
    onServers(async (deployment) => {
      const crowd = crowdAt(deployment);
      await server.crash();
      await server.restart();
      await crowd;
      await crowdAt(deployment);
      const counts = await ordersOf(deployment);
      expect(new Set(counts.values())).toEqual(new Set([1]));
      // A unit that a refused order gives back may come when everybody has gone.
      expect(counts.size).toBeLessThanOrEqual(SALES.length * UNITS);
    }),
  );
});
