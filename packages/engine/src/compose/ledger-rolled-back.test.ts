/** A database that comes back with the data of some seconds ago, while the process that sells from it goes on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase as onMariaDb,
  type TestDatabase,
} from '../adapters/sql/dialects/mysql/test-database.contract.ts';
import { createTestDatabase as onPostgres } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { loadConfig } from '../config/load.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { startEmbedded } from './start-embedded.ts';

const SLOW_MS = 180_000;
const SALE = 'rolled-back';
const UNITS = 40;

interface Line {
  readonly code?: string;
  readonly fault?: string;
}

async function openWorld(databaseUrl: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-rolled-back-'));
  const env = { SLUICE_DATABASE_URL: databaseUrl, SLUICE_DATA_DIR: dataDir, SLUICE_PORT: '0' };
  const loaded = loadConfig({ env: { ...env, SLUICE_MAX_LOOP_LAG_MS: '0' }, file: null, flags: {} });
  if (loaded.kind === 'mistaken') throw new Error('these are settings');
  const lines: Line[] = [];
  const crashes: unknown[] = [];
  const deployment = await startEmbedded({
    settings: loaded.settings,
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    onCrash: (error) => crashes.push(error),
  });
  const { engine } = deployment;
  const tokens = new Map<string, string>();

  async function openSale(saleId: string): Promise<void> {
    const nowMs = Date.now();
    await engine.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC', id: saleId, title: saleId },
      ...{ totalUnits: UNITS, limitUnits: 1, holdMs: 600_000, startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
    });
    await engine.operateSale(saleId, 'publish');
  }

  /** What the buyer is told; `THROWN` is what HTTP would answer 500. */
  async function buy(saleId: string, buyerId: string): Promise<string> {
    const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
    try {
      const issued = tokens.has(buyerId) ? null : await engine.issueToken(saleId, buyer);
      if (issued?.kind === 'refused') return issued.reason;
      if (issued) tokens.set(buyerId, issued.token);
      const answer = await engine.purchase({ saleId, buyer, token: tokens.get(buyerId) ?? '', units: 1 });
      return answer.kind === 'accepted' ? answer.status : answer.reason;
    } catch (error) {
      const isRetryable = error instanceof Error && 'retryable' in error && error.retryable;
      return isRetryable ? 'busy' : `THROWN ${error}`;
    }
  }

  /** As an app does: until the order is there, or there is none to be had. */
  async function buyPatiently(saleId: string, buyerId: string): Promise<string> {
    const untilMs = Date.now() + 30_000;
    for (;;) {
      const said = await buy(saleId, buyerId);
      if (!['busy', 'not_ready', 'late', 'queued'].includes(said) || Date.now() > untilMs) return said;
      await pause(100);
    }
  }

  return {
    ...{ engine, lines, crashes, openSale, buy, buyPatiently },
    buyers: (saleId: string, prefix: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => buyPatiently(saleId, `${prefix}${at}`))),
    async close() {
      await deployment.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

interface Subject {
  readonly name: string;
  readonly server: Awaited<ReturnType<typeof startTestServer>>;
  createDatabase(url: string): Promise<TestDatabase>;
}

const SUBJECTS: readonly Subject[] = [
  {
    ...{ name: 'PostgreSQL', server: await startTestServer('postgres', { isDurable: true }) },
    async createDatabase(serverUrl) {
      const { url, query, drop } = await onPostgres(serverUrl);
      return { url, run: async (text) => (await query(text)).rows, drop };
    },
  },
  { name: 'MariaDB', server: await startTestServer('mariadb', { isDurable: true }), createDatabase: onMariaDb },
];

for (const { name, server, createDatabase } of SUBJECTS) {
  describeWithServer(`a ${name} whose data is of some seconds ago`, server, (own) => {
    const { url, crash, keep, putBack, restart } = own;
    describe.skipIf(!restart)('of our own', () => {
      let database: TestDatabase;
      let world: Awaited<ReturnType<typeof openWorld>>;
      beforeAll(async () => {
        database = await createDatabase(url);
        world = await openWorld(database.url);
        await world.openSale(SALE);
      }, SLOW_MS);
      afterAll(async () => {
        await world.close();
        await database.drop();
      });

      test('sells what it has, to the last unit and no more, and says so once', { timeout: SLOW_MS }, async () => {
        expect(new Set(await world.buyers(SALE, 'kept-', 10))).toEqual(new Set(['pending']));
        crash?.();
        keep?.();
        await restart?.();
        expect(new Set(await world.buyers(SALE, 'lost-', 15))).toEqual(new Set(['pending']));

        // A crowd that does not stop for it, so that the ledger's marks are passed again at once.
        const said: string[] = [];
        let isOver = false;
        const crowd = (async () => {
          for (let at = 0; !isOver && at < 300; at++) {
            said.push(await world.buy(SALE, `new-${at}`));
            await pause(50);
          }
        })();
        crash?.();
        putBack?.();
        await restart?.();
        await expect
          .poll(() => world.lines.filter(({ code }) => code === 'ledger_rolled_back').length, { timeout: 20_000 })
          .toBeGreaterThan(0);
        isOver = true;
        await crowd;
        expect(said.filter((each) => each.startsWith('THROWN'))).toEqual([]);

        const again = await world.buyers(SALE, 'lost-', 15);
        expect(again.filter((each) => !['pending', 'none_left_now'].includes(each))).toEqual([]);
        for (let at = 0; (await world.buyPatiently(SALE, `last-${at}`)) === 'pending'; at++);
        await expect
          .poll(async () => (await world.engine.readPlaces(SALE)) as unknown, { timeout: 20_000 })
          .toMatchObject({ reading: { isBalanced: true, places: { held: UNITS, available: 0, free: 0, claimed: 0 } } });
        const rows = await database.run(`select order_id from orders where state = 'pending'`);
        expect(rows).toHaveLength(UNITS);
        const told = world.lines.filter(({ code }) => code === 'ledger_rolled_back');
        expect(told.map(({ fault }) => fault)).toEqual([expect.stringContaining(`Sale ${SALE} is rebuilt`)]);
        expect(world.crashes).toEqual([]);
      });

      test('is not suspected when it comes back with all it had', { timeout: SLOW_MS }, async () => {
        await world.openSale('whole');
        const before = world.lines.filter(({ code }) => code === 'ledger_rolled_back').length;
        expect(new Set(await world.buyers('whole', 'whole-', 10))).toEqual(new Set(['pending']));
        crash?.();
        await restart?.();
        expect(new Set(await world.buyers('whole', 'after-', 10))).toEqual(new Set(['pending']));
        await pause(3_000);
        expect(world.lines.filter(({ code }) => code === 'ledger_rolled_back')).toHaveLength(before);
        const reading = await world.engine.readPlaces('whole');
        expect(reading).toMatchObject({ stock: { segments: [{ epoch: 1 }] } });
      });
    });
  });
}
