/** The ceiling of settlement, as a real database sees it. */
import { expect, test } from 'vitest';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { openPostgresLedger } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { createTestDatabase, type TestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { patientLedger } from '../adapters/sql/patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { type CeilingBounds, NO_CEILING } from '../funnel/ledger/settlement-ceiling.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';

const SLOW_MS = 120_000;
const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);

describeWithServer('settlement’s ceiling on PostgreSQL', await startTestServer('postgres'), (server) => {
  async function withEngine(
    ceiling: Partial<CeilingBounds>,
    use: (engine: Engine, database: TestDatabase) => Promise<void>,
  ) {
    const database = await createTestDatabase(server.url);
    const opened = await openPostgresLedger({ url: database.url, maxConnections: 4 });
    const idSource = createIdSource();
    const crashes: unknown[] = [];
    const engine = buildEngine({
      ...{ clock, idSource, signer, ...createMemoryStore({ clock, idSource }), feed: createMemoryOrderFeed() },
      ...{ ledger: patientLedger(opened.ledger), ceiling: { ...NO_CEILING, ...ceiling } },
      ...{ onFault: () => {}, onCrash: (error) => crashes.push(error), answersQueued: true },
    });
    await engine.start();
    const nowMs = clock.nowMs();
    await engine.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
      ...{ id: 'skin', title: 'Skin', totalUnits: 1_000, limitUnits: 1, holdMs: 600_000 },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
    });
    await engine.operateSale('skin', 'publish');
    try {
      await use(engine, database);
    } finally {
      await engine.stop();
      await opened.close();
      await database.drop();
    }
    expect(crashes).toEqual([]);
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

  test('is a flat line there, and no transaction is open while it rests', { timeout: SLOW_MS }, () =>
    withEngine({ settleOrdersPerSecond: 50, settleTransactionsPerSecond: 1 }, async (engine, { query }) => {
      await buy(engine, 0, 200);
      let oldestMs = 0;
      await expect
        .poll(
          async () => {
            const { rows } = await query(`select
              (select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0) * 1000 from pg_stat_activity
                where application_name = 'sluice' and datname = current_database()) as oldest,
              (select count(*)::int from orders) as orders`);
            oldestMs = Math.max(oldestMs, Number(rows[0]?.oldest));
            return rows[0]?.orders;
          },
          { timeout: 30_000, interval: 5 },
        )
        .toBe(200);
      // A rest is almost a second; whoever kept a transaction open over it would be seen here.
      expect(oldestMs).toBeLessThan(800);
      const { rows } = await query(
        'select settled_at_ms, count(*)::int as orders from orders group by settled_at_ms order by settled_at_ms',
      );
      expect(Math.max(...rows.map(({ orders }) => orders))).toBeLessThanOrEqual(50);
      const beginnings = rows.map((row) => Number(row.settled_at_ms));
      for (const [index, atMs] of beginnings.slice(1).entries()) {
        expect(atMs - (beginnings[index] ?? 0)).toBeGreaterThan(900);
      }
      const spanMs = (beginnings.at(-1) ?? 0) - (beginnings[0] ?? 0);
      expect(spanMs).toBeLessThan((rows.length - 1) * 1_000 + 1_500);
    }),
  );

  test('is lowered while transactions are slow there, and rises again', { timeout: SLOW_MS }, () =>
    withEngine({ settleTransactionsPerSecond: 1_000, settleTargetMs: 150 }, async (engine, { query }) => {
      await buy(engine, 0, 50);
      await expect.poll(async () => (await engine.read()).queue?.entries).toBe(0);
      expect((await engine.read()).ceiling).toMatchObject({ transactionsPerSecond: 1_000 });
      const lows: number[] = [];
      for (let round = 1; round <= 6; round++) {
        const lock = query('begin; select * from segments for update; select pg_sleep(0.5); commit');
        await new Promise((resolve) => setTimeout(resolve, 50));
        await buy(engine, round * 50, 50);
        await lock;
        await expect.poll(async () => (await engine.read()).queue?.entries, { interval: 10 }).toBe(0);
        lows.push((await engine.read()).ceiling?.transactionsPerSecond ?? 0);
      }
      expect(Math.min(...lows)).toBeLessThan(5);
      for (let round = 10; round < 25; round++) {
        await buy(engine, 1_000 + round * 2, 2);
        await expect.poll(async () => (await engine.read()).queue?.entries, { timeout: 5_000, interval: 5 }).toBe(0);
      }
      expect((await engine.read()).ceiling).toMatchObject({ transactionsPerSecond: 1_000 });
    }),
  );
});
