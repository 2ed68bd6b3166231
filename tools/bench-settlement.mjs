/**
 * `npm run bench:settlement`: settled orders a second over the wire, on a durable PostgreSQL of its own, against the naive way in
 * the same database and run: for each order one transaction with a guarded UPDATE of one stock row and an INSERT, by one client and by 16.
 * Ours writes full rows: order, buyer, journal, event, indexes. Needs a build.
 */
import { spawn } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SECONDS = Number(process.env.SLUICE_BENCH_SECONDS ?? 5);
const ROUNDS = 3;
/** One and many: where cores are few, many who wait for one row are slower than one who never waits. */
const NAIVE_CLIENTS = [1, 16];
const GROUP_SIZES = [50, 200, 500];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const engine = join(root, 'packages', 'engine');
const pg = createRequire(join(engine, 'package.json'))('pg');
const { openPostgresLedger } = await import(
  pathToFileURL(join(engine, 'dist', 'adapters', 'sql', 'dialects', 'postgres', 'open-ledger.js')).href
);

const server = await startServer();
try {
  console.log(`a sync of the disk takes ${(syncMs() * 1000).toFixed(0)} µs (median of 200)`);
  const ways = [
    ...NAIVE_CLIENTS.map((clients) => ({ name: `naive ×${clients}`, run: naive(clients) })),
    ...GROUP_SIZES.map((size) => ({ name: `groups of ${size}`, run: ours(size) })),
  ];
  const rates = new Map(ways.map(({ name }) => [name, []]));
  // Alternating, so that a slow minute of the machine is shared.
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, run } of ways) rates.get(name).push(await run(server.url));
  }
  // Ours is held against the better of the naive ways.
  const base = Math.max(...NAIVE_CLIENTS.map((clients) => median(rates.get(`naive ×${clients}`))));
  for (const [name, each] of rates) {
    const rate = median(each);
    const spread = `${Math.round(Math.min(...each))}–${Math.round(Math.max(...each))}`;
    console.log(
      `${name.padEnd(14)} ${Math.round(rate).toString().padStart(7)} orders/s (${spread})  ${(rate / base).toFixed(1)}×`,
    );
  }
} finally {
  server.stop();
}

/** One worker, as in `sluice start`: the next group is ready when one is settled. */
function ours(size) {
  return async (url) => {
    const { ledger, close } = await openPostgresLedger({ url, maxConnections: 4 });
    const saleId = `sale-${process.hrtime.bigint()}`;
    const quota = { saleId, region: 'home', segment: 0, channel: 'main' };
    const draft = { id: saleId, title: saleId, totalUnits: 10_000_000, limitUnits: 1, holdMs: 600_000 };
    await ledger.sales.create({ ...draft, startsAtMs: 0, endsAtMs: 1 }, [quota]);
    await ledger.sales.operate(saleId, 'publish');
    await ledger.inventoryCentre.openEpoch({
      segment: quota,
      fromEpoch: 0,
      cutThrough: { epoch: 0, seq: 0 },
      queued: [],
    });
    await ledger.inventoryCentre.allot({ moveId: `${saleId}/m`, quota, units: draft.totalUnits });
    await ledger.inventoryCentre.finishMove(`${saleId}/m`);
    let seq = 0;
    const rate = await forSeconds(async () => {
      const claims = Array.from({ length: size }, () => {
        seq++;
        const origin = { region: 'home', segment: 0, channel: 'main', epoch: 1, seq };
        return { orderId: `${saleId}-order-${seq}`, saleId, buyerId: `buyer-${seq}`, units: 1, origin };
      });
      const outcomes = await ledger.settlement.settle(claims);
      if (outcomes.some(({ kind }) => kind !== 'settled')) throw new Error('a claim was not settled');
      return size;
    }, 1);
    await close();
    return rate;
  };
}

function naive(clients) {
  return async (url) => {
    const pool = new pg.Pool({ connectionString: url, max: clients });
    await pool.query('drop table if exists naive_orders, naive_stock');
    await pool.query(
      'create table naive_stock (sku text primary key, units_left bigint not null check (units_left >= 0))',
    );
    await pool.query(`create table naive_orders (id text primary key, sku text not null, buyer text not null,
    units bigint not null, state text not null, created_at timestamptz not null default now())`);
    await pool.query('create unique index on naive_orders (sku, buyer)');
    await pool.query(`insert into naive_stock values ('sku', 10000000)`);
    let order = 0;
    const rate = await forSeconds(async () => {
      const number = ++order;
      const client = await pool.connect();
      await client.query('begin');
      const { rowCount } = await client.query(
        'update naive_stock set units_left = units_left - $1 where sku = $2 and units_left >= $1',
        [1, 'sku'],
      );
      if (rowCount !== 1) throw new Error('nothing was left');
      await client.query('insert into naive_orders (id, sku, buyer, units, state) values ($1, $2, $3, 1, $4)', [
        `order-${number}`,
        'sku',
        `buyer-${number}`,
        'pending',
      ]);
      await client.query('commit');
      client.release();
      return 1;
    }, clients);
    await pool.end();
    return rate;
  };
}

/** Orders a second of `clients` who go on and on. */
async function forSeconds(step, clients) {
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  let orders = 0;
  const client = async () => {
    while (elapsed() < SECONDS) orders += await step();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return orders / elapsed();
}

function syncMs() {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-sync-'));
  const file = openSync(join(directory, 'file'), 'w');
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now();
    writeSync(file, Buffer.alloc(8192));
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  rmSync(directory, { recursive: true });
  return median(times);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function startServer() {
  const serve = join(root, 'tools', 'services', 'serve.mjs');
  const child = spawn(process.execPath, [serve, 'postgres', '--durable'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { url, missing } = JSON.parse(value ?? '{}');
  if (!url) throw new Error(`PostgreSQL is missing: ${missing}`);
  return { url, stop: () => child.stdin.end() };
}
