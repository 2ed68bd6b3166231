/**
 * `npm run bench:settlement [-- postgres | mariadb]`: settled orders a second over the wire, on a durable server of its own, beside
 * what everybody writes first (naive-settlement.mjs) in the same database and run. Ours are four workers, who share
 * the segments of a sale: claims are taken at the gate (in memory), gather in the queue, and settle in the groups that the load makes,
 * as full rows: order, buyer, journal, event, indexes. The same number of claims is on its way all the time, whether 4 producers or
 * 64 bring them.
 *
 * ROUNDS and SECONDS (of each shot) change how much is measured.
 */
import { spawn } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createMemoryOrderFeed } from '../packages/engine/src/adapters/memory/order-feed.ts';
import { createMemoryStore } from '../packages/engine/src/adapters/memory/store.ts';
import { openMysqlLedger } from '../packages/engine/src/adapters/sql/dialects/mysql/open-ledger.ts';
import { openPostgresLedger } from '../packages/engine/src/adapters/sql/dialects/postgres/open-ledger.ts';
import { systemClock as clock } from '../packages/engine/src/adapters/system/clock.ts';
import { createIdSource } from '../packages/engine/src/adapters/system/ids.ts';
import { plainOffer } from '../packages/engine/src/domain/sale/offer.ts';
import { createSettlementCeiling, NO_CEILING } from '../packages/engine/src/funnel/ledger/settlement-ceiling.ts';
import { createWorker } from '../packages/engine/src/funnel/worker.ts';
import { operateSale } from '../packages/engine/src/inventory/change-sale.ts';
import { createSale } from '../packages/engine/src/inventory/create-sale.ts';
import { createGateSession } from '../packages/engine/src/inventory/gate-session.ts';
import { freshDatabase, naiveRate } from './naive-settlement.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 3);
const NAIVE_CLIENTS = 16;
const ON_THEIR_WAY = 1_024;
const PRODUCERS = [4, 64];
const SEGMENTS = 4;
const WORKERS = 4;
const HOUR_MS = 3_600_000;

const DATABASES = {
  postgres: { openLedger: openPostgresLedger, goal: 12 },
  mariadb: { openLedger: openMysqlLedger, goal: 8 },
};
const GOAL_SKIP_LOCKED = 5;
const GOAL_PRODUCERS = 0.95;

const wanted = process.argv[2];
if (wanted && !DATABASES[wanted]) throw new Error(`there is no ${wanted}, only ${Object.keys(DATABASES).join(', ')}`);
console.log(`a sync of the disk takes ${(syncMs() * 1_000).toFixed(0)} µs (median of 200)`);
for (const name of Object.keys(DATABASES)) if (!wanted || wanted === name) await measure(name);
console.log(`load average ${loadavg()[0].toFixed(1)}`);

async function measure(database) {
  const server = await startServer(database);
  try {
    const url = await freshDatabase(database, server.url);
    const naive = (way) => () => naiveRate({ ...{ database, url, way }, clients: NAIVE_CLIENTS, seconds: SECONDS });
    const ways = {
      guarded: naive('guarded update'),
      skipLocked: naive('skip locked'),
      few: () => ours(database, url, PRODUCERS[0]),
      many: () => ours(database, url, PRODUCERS[1]),
    };
    const rounds = [];
    // Alternating, so that a slow minute of the machine is shared; the first round only warms up.
    for (let round = -1; round < ROUNDS; round++) {
      const rates = {};
      for (const [name, run] of Object.entries(ways)) rates[name] = await run();
      if (round >= 0) rounds.push(rates);
    }
    tell(database, rounds);
  } finally {
    server.stop();
  }
}

function tell(database, rounds) {
  const { goal } = DATABASES[database];
  const rate = (name) => Math.round(median(rounds.map((rates) => rates[name])));
  const ratio = (a, b) => median(rounds.map((rates) => rates[a] / rates[b]));
  console.log(`${database}: medians of ${ROUNDS} rounds of ${SECONDS} s, ${NAIVE_CLIENTS} naive clients`);
  console.table({
    [`${PRODUCERS[1]} producers`]: { 'orders/s': rate('many') },
    [`${PRODUCERS[0]} producers`]: row('few', ratio('many', 'few'), GOAL_PRODUCERS),
    'guarded update': row('guarded', ratio('many', 'guarded'), goal),
    'skip locked': row('skipLocked', ratio('many', 'skipLocked'), GOAL_SKIP_LOCKED),
  });

  function row(name, times, least) {
    return { 'orders/s': rate(name), 'ours is': `${times.toFixed(2)} ×`, goal: `>= ${least}` };
  }
}

/** Producers claim, wait for their orders, and claim again. */
async function ours(database, url, producers) {
  const { ledger, close } = await DATABASES[database].openLedger({ url, maxConnections: 4 });
  const idSource = createIdSource();
  const { gate, queue } = createMemoryStore({ clock, idSource });
  const session = createGateSession(gate, clock);
  const feed = createMemoryOrderFeed();
  const deps = { gate, queue, session, clock, idSource, hasWallet: false, feed, ...ledger };
  const saleId = await openSale(deps);
  const fail = (error) => {
    throw error;
  };
  const workers = Array.from({ length: WORKERS }, (_, mine) => {
    const isOurs = ({ segment }) => segment % WORKERS === mine;
    const ceiling = createSettlementCeiling(clock, NO_CEILING);
    const told = { onRest: () => {}, onFault: fail, onCrash: fail };
    return createWorker({ ...deps, consumer: idSource.newId(), isOurs, ceiling, ...told });
  });
  const waiting = new Map();
  const stopListening = feed.subscribe((orders) => {
    for (const { orderId } of orders) waiting.get(orderId)?.();
  });
  for (const worker of workers) worker.start();
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  let settled = 0;
  const produce = async (_, producer) => {
    const segment = { saleId, region: 'home', segment: producer % SEGMENTS };
    while (elapsed() < SECONDS) {
      const claims = Array.from({ length: ON_THEIR_WAY / producers }, () => newClaim(idSource.newId()));
      const told = claims.map(({ orderId }) => new Promise((resolve) => waiting.set(orderId, resolve)));
      const outcomes = await gate.claim(await session.call(segment), claims);
      for (const { kind } of outcomes) if (kind !== 'claimed') throw new Error(`a claim was answered with ${kind}`);
      await Promise.all(told);
      for (const { orderId } of claims) waiting.delete(orderId);
      settled += claims.length;
    }
  };
  await Promise.all(Array.from({ length: producers }, produce));
  const rate = settled / elapsed();
  stopListening();
  await Promise.all(workers.map((worker) => worker.stop()));
  await close();
  return rate;
}

function newClaim(orderId) {
  return { orderId, buyerId: `buyer-${Math.random().toString(36).slice(2)}`, channel: 'main', units: 1 };
}

async function openSale(deps) {
  const id = `sale-${deps.idSource.newId().toLowerCase()}`;
  const nowMs = clock.nowMs();
  const window = { startsAtMs: nowMs - HOUR_MS, endsAtMs: nowMs + HOUR_MS, timeZone: 'UTC', holdMs: HOUR_MS };
  await createSale(deps, {
    id,
    title: id,
    offer: plainOffer(id),
    ...window,
    totalUnits: 1_000_000,
    limitUnits: 1,
    segments: SEGMENTS,
  });
  const { kind } = await operateSale(deps, id, 'publish');
  if (kind === 'not_found') throw new Error(`the sale ${id} was not made`);
  return id;
}

function syncMs() {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-sync-'));
  const file = openSync(join(directory, 'file'), 'w');
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now();
    writeSync(file, Buffer.alloc(8_192));
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  rmSync(directory, { recursive: true });
  return median(times);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function startServer(database) {
  const serve = fileURLToPath(new URL('services/serve.mjs', import.meta.url));
  const child = spawn(process.execPath, [serve, database, '--durable'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { url, missing } = JSON.parse(value ?? '{}');
  if (!url) throw new Error(`${database} is missing: ${missing}`);
  return { url, stop: () => child.stdin.end() };
}
