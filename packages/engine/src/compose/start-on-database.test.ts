import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase as createMariadb } from '../adapters/sql/dialects/mysql/test-database.contract.ts';
import { createTestDatabase, type TestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { describeConfig } from '../config/describe.ts';
import { loadConfig } from '../config/load.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { type EmbeddedDeployment, startEmbedded } from './start-embedded.ts';

const SLOW_MS = 120_000;

const running: EmbeddedDeployment[] = [];
const directories: string[] = [];

async function stopAll(): Promise<void> {
  for (const deployment of running.splice(0)) await deployment.stop();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}

async function start(databaseUrl: string): Promise<EmbeddedDeployment> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-on-postgres-'));
  directories.push(dataDir);
  // A machine that is busy with other suites sheds no buyer of these.
  const env = {
    ...{ SLUICE_DATABASE_URL: databaseUrl, SLUICE_DATA_DIR: dataDir, SLUICE_PORT: '0' },
    SLUICE_MAX_LOOP_LAG_MS: '0',
    // Each has a directory of its own, as on machines that take over from each other.
    SLUICE_TOKEN_KEYS: `k1:${'k'.repeat(43)}`,
  };
  const loaded = loadConfig({ env, file: null, flags: {} });
  if (loaded.kind === 'mistaken') throw new Error('these are settings');
  expect(JSON.stringify(describeConfig(loaded))).not.toContain(databaseUrl);
  const deployment = await startEmbedded({
    settings: loaded.settings,
    log: pino({ level: 'silent' }),
    onCrash: (error) => {
      throw error;
    },
  });
  running.push(deployment);
  return deployment;
}

/** How many got a unit; who is told that the deployment is busy comes again. */
async function crowdAt({ engine }: EmbeddedDeployment, saleId: string, buyers: number): Promise<number> {
  const buy = async (buyerId: string): Promise<boolean> => {
    const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
    for (;;) {
      const issued = await engine.issueToken(saleId, buyer);
      const answer =
        issued.kind === 'issued' ? await engine.purchase({ saleId, buyer, token: issued.token, units: 1 }) : issued;
      if (answer.kind === 'accepted') return true;
      if (answer.reason !== 'busy') return false;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const won = await Promise.all(Array.from({ length: buyers }, (_, index) => buy(`buyer-${index}`)));
  return won.filter(Boolean).length;
}

async function openSale({ engine }: EmbeddedDeployment, totalUnits: number): Promise<string> {
  const nowMs = Date.now();
  const saleId = 'crowded';
  await engine.createSale({
    ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
    ...{ id: saleId, title: saleId, totalUnits, limitUnits: 1, holdMs: 600_000 },
    ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
  });
  await engine.operateSale(saleId, 'publish');
  return saleId;
}

describeWithServer('a deployment on PostgreSQL', await startTestServer('postgres'), (server) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase(server.url);
  });
  afterEach(async () => {
    await stopAll();
    await database.drop();
  });

  test('sells what there is, over a bounded number of connections, and has it after a restart', {
    timeout: SLOW_MS,
  }, async () => {
    const first = await start(database.url);
    const saleId = await openSale(first, 300);
    let most = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const { rows } = await database.query(
          `select count(*)::int as count from pg_stat_activity where application_name = 'sluice' and datname = current_database()`,
        );
        most = Math.max(most, rows[0]?.count ?? 0);
      }
    })();
    const won = await crowdAt(first, saleId, 1_000);
    isOver = true;
    await watching;
    expect(won).toBe(300);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(10);
    await first.stop();

    const again = await start(database.url);
    expect(await again.engine.readPlaces(saleId)).toMatchObject({
      reading: { isBalanced: true, places: { held: 300, available: 0 } },
    });
  });

  test('is one at a time: a second gate in memory would sell the same units', { timeout: SLOW_MS }, async () => {
    const first = await start(database.url);
    await expect(start(database.url)).rejects.toThrow(`process ${process.pid}`);
    await first.stop();
    await start(database.url);
  });

  test('says where it looked when there is no database, and no password', { timeout: SLOW_MS }, async () => {
    const url = 'postgres://somebody:secret-word@127.0.0.1:1/shop';
    await expect(start(url)).rejects.toThrow(/^The ledger at postgres:\/\/127\.0\.0\.1:1\/shop cannot be opened/);
    await expect(start(url)).rejects.not.toThrow('secret-word');
  });
});

describeWithServer('a deployment on MariaDB', await startTestServer('mariadb'), (server) => {
  test('sells what there is, one process at a time, and has it after a restart', { timeout: SLOW_MS }, async () => {
    const database = await createMariadb(server.url);
    const first = await start(database.url);
    const saleId = await openSale(first, 100);
    expect(await crowdAt(first, saleId, 300)).toBe(100);
    await expect(start(database.url)).rejects.toThrow(`process ${process.pid}`);
    await first.stop();
    const again = await start(database.url);
    expect(await again.engine.readPlaces(saleId)).toMatchObject({
      reading: { isBalanced: true, places: { held: 100, available: 0 } },
    });
    await stopAll();
    await database.drop();
  });
});
