/**
 * The ceiling of settlement, as a real database sees it. What a transaction takes is time only while the test makes it slow, so
 * that a busy machine is no slow database.
 */
import pg from 'pg';
import { expect, test } from 'vitest';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { noTelemetry } from '../adapters/memory/telemetry.ts';
import { openPostgresLedger } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { createTestDatabase, type TestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { patientLedger } from '../adapters/sql/patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { type CeilingBounds, NO_CEILING } from '../funnel/ledger/settlement-ceiling.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';

const SLOW_MS = 120_000;
/** What was claimed is settled within this; a busy machine takes its time. */
const ARRIVES_MS = 30_000;
/** Of the database and of this process, which tells whole milliseconds. */
const CLOCKS_DIFFER_MS = 2;

const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where wait_event_type = 'Lock' and datname = current_database()`;
const WRITING = `select
  extract(epoch from clock_timestamp()) * 1000 as at_ms,
  (select min(extract(epoch from xact_start)) * 1000 from pg_stat_activity join pg_locks using (pid)
    where relation = 'orders'::regclass and mode = 'RowExclusiveLock') as since_ms,
  (select count(*)::int from orders) as orders`;

const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);

/** The machine's time, but for stretches that do not count. */
function createPausingClock() {
  let pausedAtMs: number | null = null;
  let leftOutMs = 0;
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => (pausedAtMs ?? systemClock.monotonicMs()) - leftOutMs,
  };
  async function withoutTime<Result>(step: () => Promise<Result>): Promise<Result> {
    pausedAtMs = systemClock.monotonicMs();
    try {
      return await step();
    } finally {
      leftOutMs += systemClock.monotonicMs() - pausedAtMs;
      pausedAtMs = null;
    }
  }
  return { clock, withoutTime };
}

interface Watched {
  readonly engine: Engine;
  readonly database: TestDatabase;
  /** When each transaction began, by the engine's clock. */
  readonly beginningsMs: readonly number[];
  /** By the wall clock, as the database has it. */
  readonly rests: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Settlement stands in a queue for the rows of its sale meanwhile, and that it takes so long counts. */
  whileLocked(work: () => Promise<void>): Promise<void>;
}

describeWithServer('settlement’s ceiling on PostgreSQL', await startTestServer('postgres'), (server) => {
  async function withEngine(ceiling: Partial<CeilingBounds>, use: (watched: Watched) => Promise<void>) {
    const database = await createTestDatabase(server.url);
    const opened = await openPostgresLedger({ url: database.url, maxConnections: 4 });
    const { clock, withoutTime } = createPausingClock();
    const [idSource, crashes] = [createIdSource(), [] as unknown[]];
    const [beginningsMs, rests] = [[] as number[], [] as { fromMs: number; toMs: number }[]];
    let isLocked = false;
    const patient = patientLedger(opened.ledger);
    const settle: Ledger['settlement']['settle'] = (claims) => {
      beginningsMs.push(clock.monotonicMs());
      return isLocked ? patient.settlement.settle(claims) : withoutTime(() => patient.settlement.settle(claims));
    };
    const settlementRested = (restMs: number) => rests.push({ fromMs: Date.now() - restMs, toMs: Date.now() });
    const engine = buildEngine({
      ...{ clock, idSource, signer, ...createMemoryStore({ clock, idSource }), feed: createMemoryOrderFeed() },
      ledger: { ...patient, settlement: { ...patient.settlement, settle } },
      ...{ ceiling: { ...NO_CEILING, ...ceiling }, telemetry: { ...noTelemetry, settlementRested } },
      ...{ onFault: () => {}, onCrash: (error) => crashes.push(error), answersQueued: true },
    });
    await engine.start();
    await openSale(engine, clock.nowMs());
    const whileLocked = async (work: () => Promise<void>) => {
      const locker = new pg.Client({ connectionString: database.url });
      await locker.connect();
      await locker.query('begin');
      await locker.query('select * from segments for update');
      isLocked = true;
      await work();
      await locker.query('commit');
      isLocked = false;
      await locker.end();
    };
    try {
      await use({ engine, database, beginningsMs, rests, whileLocked });
    } finally {
      await engine.stop();
      await opened.close();
      await database.drop();
    }
    expect(crashes).toEqual([]);
  }

  async function openSale(engine: Engine, nowMs: number): Promise<void> {
    await engine.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
      ...{ id: 'skin', title: 'Skin', totalUnits: 1_000, limitUnits: 1, holdMs: 600_000 },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
    });
    await engine.operateSale('skin', 'publish');
  }

  async function buy(engine: Engine, from: number, buyers: number): Promise<void> {
    const one = async (buyerId: string) => {
      const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
      const issued = await engine.issueToken('skin', buyer);
      if (issued.kind === 'refused') return issued.reason;
      return (await engine.purchase({ saleId: 'skin', buyer, token: issued.token, units: 1 })).kind;
    };
    const kinds = await Promise.all(Array.from({ length: buyers }, (_, index) => one(`buyer-${from + index}`)));
    expect(new Set(kinds)).toEqual(new Set(['accepted']));
  }

  const isWaited = ({ query }: TestDatabase) =>
    expect
      .poll(async () => (await query(WAITING)).rows[0]?.waiting, { timeout: ARRIVES_MS, interval: 5 })
      .toBeGreaterThan(0);
  const isSettled = (engine: Engine) =>
    expect.poll(async () => (await engine.read()).queue?.entries, { timeout: ARRIVES_MS, interval: 5 }).toBe(0);

  /** Who writes orders at a moment, and since when. */
  async function samplesUntil({ query }: TestDatabase, orders: number) {
    const samples: { readonly atMs: number; readonly sinceMs: number | null }[] = [];
    const sample = async () => {
      const [row] = (await query(WRITING)).rows;
      samples.push({ atMs: Number(row.at_ms), sinceMs: row.since_ms === null ? null : Number(row.since_ms) });
      return row.orders;
    };
    await expect.poll(sample, { timeout: ARRIVES_MS, interval: 5 }).toBe(orders);
    return samples;
  }

  test('is a flat line there, and no transaction is open while it rests', { timeout: SLOW_MS }, () =>
    withEngine({ settleOrdersPerSecond: 50, settleTransactionsPerSecond: 1 }, async (watched) => {
      const { engine, database, beginningsMs, rests } = watched;
      // All of them are in the queue before the first is settled, whatever the machine does meanwhile.
      await watched.whileLocked(() => buy(engine, 0, 200));
      const samples = await samplesUntil(database, 200);

      const resting = rests.flatMap((rest) =>
        samples
          .filter(({ atMs }) => atMs > rest.fromMs + CLOCKS_DIFFER_MS && atMs < rest.toMs)
          .map((s) => ({ rest, s })),
      );
      expect(resting.length).toBeGreaterThan(3);
      expect(resting.filter(({ rest, s }) => s.sinceMs !== null && s.sinceMs < rest.fromMs)).toEqual([]);

      const { rows } = await database.query('select count(*)::int as orders from orders group by settled_at_ms');
      expect(Math.max(...rows.map(({ orders }) => orders))).toBeLessThanOrEqual(50);
      // The first may have been fewer than fit.
      expect(rows.length).toBeLessThanOrEqual(5);
      const gapsMs = beginningsMs.slice(1).map((atMs, index) => atMs - (beginningsMs[index] ?? 0));
      // A timer of Node may be a millisecond early.
      for (const gapMs of gapsMs) expect(gapMs).toBeGreaterThan(990);
    }),
  );

  test('is lowered while transactions are slow there, and rises again', { timeout: SLOW_MS }, () =>
    withEngine({ settleTransactionsPerSecond: 1_000, settleTargetMs: 100 }, async (watched) => {
      const { engine, database } = watched;
      const ceiling = async () => (await engine.read()).ceiling?.transactionsPerSecond ?? 0;
      await buy(engine, 0, 50);
      await isSettled(engine);
      expect(await ceiling()).toBe(1_000);
      const lows: number[] = [];
      for (let round = 1; round <= 3; round++) {
        await watched.whileLocked(async () => {
          await buy(engine, round * 50, 1);
          await isWaited(database);
          await new Promise((resolve) => setTimeout(resolve, 500));
        });
        await isSettled(engine);
        lows.push(await ceiling());
      }
      expect(Math.min(...lows)).toBeLessThan(5);
      for (let round = 10; round < 25; round++) {
        await buy(engine, 1_000 + round * 2, 2);
        await isSettled(engine);
      }
      expect(await ceiling()).toBe(1_000);
    }),
  );
});
