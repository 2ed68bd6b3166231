// redis-gate: the project's own claim path (a promise a claim, batcher, session, retry, Redis gate) against `redis-benchmark
// -c 64 -P 1` of the plain one-at-a-time script, on one server, in one run, round by round.
//
//   node --conditions=source --import tsx tools/spikes/redis-gate/run.mjs [rates | batch | bytes]
//
// ROUNDS=5 CLAIMS=60000 ASKERS=2000 PIN=1 are the defaults; PIN=1 puts Redis on core 0 and the clients on core 1.
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { openRedisStore } from '../../../packages/engine/src/adapters/redis/store.ts';
import { keysOf } from '../../../packages/engine/src/adapters/redis/keys.ts';
import { systemClock } from '../../../packages/engine/src/adapters/system/clock.ts';
import { createClaimBatcher } from '../../../packages/engine/src/funnel/gate/claim-batcher.ts';
import { gateWithRetry } from '../../../packages/engine/src/funnel/gate/gate-with-retry.ts';
import { createGateSession } from '../../../packages/engine/src/inventory/gate-session.ts';
import { debianFiles, libraryPath } from '../../services/debian-files.mjs';
import { SERVICES } from '../../services/services.mjs';

const run = promisify(execFile);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const CLAIMS = Number(process.env.CLAIMS ?? 60_000);
const ASKERS = Number(process.env.ASKERS ?? 2_000);
const PINNED = (process.env.PIN ?? '1') === '1';
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const folder = await debianFiles({ name: 'redis', ...SERVICES.redis });
const serve = fileURLToPath(new URL('../../services/serve.mjs', import.meta.url));
const service = spawn(process.execPath, [serve, 'redis'], { stdio: ['pipe', 'pipe', 'inherit'] });
const { value } = await createInterface({ input: service.stdout })[Symbol.asyncIterator]().next();
const { url, pid } = JSON.parse(value);
if (PINNED) {
  await run('taskset', ['-a', '-p', '-c', '0', String(pid)]);
  await run('taskset', ['-a', '-p', '-c', '1', String(process.pid)]);
}
const admin = new Redis(url, { protocol: 2 });
const store = await openRedisStore({ url, clock: systemClock, times: { commandMs: 10_000, connectMs: 10_000 } });
const gate = gateWithRetry(store.gate, store.serverClock);
const plain = readFileSync(new URL('../claim-script/plain.lua', import.meta.url), 'utf8');

let serial = 0;
const fresh = () => {
  const number = ++serial;
  return { buyerId: `player-${10_000_000 + number}`, orderId: `Zk3vQ9xT_bW4${String(number).padStart(10, '0')}`, channel: 'main', units: 1 };
};
const segment = { saleId: 'bench', region: 'home', segment: 0 };

async function open(units) {
  await admin.flushall('SYNC');
  const session = createGateSession(gate, store.serverClock);
  const terms = { version: 1, state: 'live', startsAtMs: 0, endsAtMs: 4_102_444_800_000, limitUnits: 1 };
  await gate.load(await session.call(segment), { segment, epoch: 1, terms, availableUnits: new Map([['main', units]]), marks: [] });
  return { session, batcher: createClaimBatcher(gate, () => session.call(segment)) };
}

const evalsha = async () => (await admin.info('commandstats')).match(/cmdstat_evalsha:calls=(\d+),usec=(\d+)/)?.slice(1).map(Number) ?? [0, 0];

/** ASKERS buyers at a time, each a promise; the next comes when one is answered. */
async function own(units) {
  const { batcher } = await open(units);
  const wanted = units > 0 ? 'claimed' : 'dry';
  await admin.config('RESETSTAT');
  let left = CLAIMS;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: ASKERS }, async () => {
      while (left-- > 0) {
        const { kind } = await batcher.claim(fresh());
        if (kind !== wanted) throw new Error(`${kind}, wanted ${wanted}`);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const [calls, usec] = await evalsha();
  return { rate: CLAIMS / seconds, batch: CLAIMS / calls, callMs: usec / calls / 1000 };
}

async function oneAtATime(stock) {
  await admin.flushall('SYNC');
  await admin.set('stock', stock);
  const sha = await admin.script('LOAD', plain);
  const benchmark = join(folder, 'usr/bin/redis-benchmark');
  const args = ['-p', new URL(url).port, '-c', '64', '-P', '1', '-n', String(CLAIMS / 2), '-r', '1000000000', '--csv'];
  const command = ['EVALSHA', sha, '3', 'stock', 'buyers', 'orders', 'player-__rand_int__', 'Zk3vQ9xT_b__rand_int__'];
  const env = { ...process.env, LD_LIBRARY_PATH: libraryPath(folder) };
  const { stdout } = await run(PINNED ? 'taskset' : 'env', [...(PINNED ? ['-c', '1'] : []), benchmark, ...args, ...command], { env });
  return Number(stdout.trim().split('\n').at(-1).match(/","([\d.]+)"/)[1]);
}

async function rates() {
  const seen = {};
  for (let round = -1; round < ROUNDS; round++) {
    for (const [label, units] of [['sold out', 0], ['all win', 1e9]]) {
      const beside = await oneAtATime(units);
      const shot = await own(units);
      if (round < 0) continue;
      const row = (seen[label] ??= { plain: [], own: [], ratio: [], batch: [], callMs: [] });
      row.plain.push(beside);
      row.own.push(shot.rate);
      row.ratio.push(shot.rate / beside);
      row.batch.push(shot.batch);
      row.callMs.push(shot.callMs);
    }
  }
  console.log(`median of ${ROUNDS} rounds, ${CLAIMS} claims each, ${ASKERS} asking at once; ${PINNED ? 'pinned' : 'not pinned'}`);
  console.table(Object.fromEntries(Object.entries(seen).map(([label, row]) => [label, {
    'plain /s': Math.round(median(row.plain)), 'own /s': Math.round(median(row.own)), ratio: median(row.ratio).toFixed(2),
    'claims a call': median(row.batch).toFixed(0), 'server ms a call': median(row.callMs).toFixed(2),
  }])));
}

async function batchTime(calls = 300) {
  for (const [label, units] of [['all win', 1e9], ['sold out', 0]]) {
    const { session } = await open(units);
    const [server, whole] = [[], []];
    for (let n = 0; n < calls; n++) {
      const batch = Array.from({ length: 256 }, fresh);
      const [, before] = await evalsha();
      const start = performance.now();
      await gate.claim(await session.call(segment), batch);
      whole.push(performance.now() - start);
      server.push(((await evalsha())[1] - before) / 1000);
    }
    console.log(`a batch of 256, ${label}: server ${median(server).toFixed(2)} ms, call ${median(whole).toFixed(2)} ms`);
  }
}

async function bytes(winners = 131_000) {
  const { session } = await open(winners);
  const used = async () => Number((await admin.info('memory')).match(/used_memory:(\d+)/)[1]);
  await gate.claim(await session.call(segment), [fresh()]);
  const start = await used();
  const claims = [];
  for (let n = 1; n < winners; n += 250) {
    const outcomes = await gate.claim(await session.call(segment), Array.from({ length: Math.min(250, winners - n) }, fresh));
    claims.push(...outcomes.map((outcome) => outcome.claim));
  }
  const queued = await used();
  const before = await admin.memory('USAGE', keysOf(segment).buyers, 'SAMPLES', 0);
  for (let n = 0; n < 50_000; n += 250) await gate.claim(await session.call(segment), Array.from({ length: 250 }, fresh));
  const refused = (await admin.memory('USAGE', keysOf(segment).buyers, 'SAMPLES', 0)) - before;
  for (let n = 0; n < claims.length; n += 256) await gate.markSettled(await session.call(segment), claims.slice(n, n + 256));
  await store.queue.remove(claims);
  console.log(`bytes per winner of ${winners}: queued ${((queued - start) / winners).toFixed(0)}, settled ${(((await used()) - start) / winners).toFixed(0)}; 50,000 refused: ${refused}`);
  await admin.flushall('SYNC');
  const empty = await used();
  await admin.set('stock', winners);
  const sha = await admin.script('LOAD', plain);
  for (let n = 0; n < winners; n += 500) {
    const pipeline = admin.pipeline();
    for (let i = 0; i < Math.min(500, winners - n); i++) {
      const { buyerId, orderId } = fresh();
      pipeline.evalsha(sha, 3, 'stock', 'buyers', 'orders', buyerId, orderId);
    }
    await pipeline.exec();
  }
  console.log(`the plain script: ${(((await used()) - empty) / winners).toFixed(0)}, without a queue`);
}

try {
  const parts = { rates, batch: batchTime, bytes };
  for (const [name, part] of Object.entries(parts)) if (!process.argv[2] || process.argv[2] === name) await part();
} finally {
  store.close();
  admin.disconnect();
  service.stdin.end();
}
