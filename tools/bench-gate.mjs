/**
 * `npm run bench:gate [-- rates | batch | bytes]`: the gate on Redis beside its goals. One process claims the way that serving does,
 * a promise for each claim (batcher, session, retry, Redis gate), against `redis-benchmark -c 64 -P 1` of the script that everybody
 * writes first (spikes/claim-script/plain.lua), on one server of its own, round by round, so that a slow minute is shared.
 *
 * On a machine that does other things, too, rates say little: beside them stands the processor time that each side spent. What
 * bounds a rate is the busier one of the server and the process. Redis is held to core 0 and its clients to core 1; PIN=0 leaves
 * them free. ROUNDS, CLAIMS and ASKERS change how much is asked.
 */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createNames } from '../packages/engine/src/adapters/redis/keys.ts';
import { openRedisStore } from '../packages/engine/src/adapters/redis/store.ts';
import { systemClock } from '../packages/engine/src/adapters/system/clock.ts';
import { createClaimBatcher } from '../packages/engine/src/funnel/gate/claim-batcher.ts';
import { gateWithRetry } from '../packages/engine/src/funnel/gate/gate-with-retry.ts';
import { createGateSession } from '../packages/engine/src/inventory/gate-session.ts';
import { debianFiles, libraryPath } from './services/debian-files.mjs';
import { SERVICES } from './services/services.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const CLAIMS = Number(process.env.CLAIMS ?? 60_000);
const ASKERS = Number(process.env.ASKERS ?? 2_000);
const IS_PINNED = (process.env.PIN ?? '1') === '1';
const BATCH = 256;
const LEDGER = 'bench';
const PATIENT = { commandMs: 10_000, connectMs: 10_000 };

const STATES = [
  { name: 'sold out', units: 0, outcome: 'dry', goal: 8 },
  { name: 'all win', units: 1e9, outcome: 'claimed', goal: 4.5 },
];
const GOAL_BATCH_MS = 2;

const { Redis } = createRequire(new URL('../packages/engine/package.json', import.meta.url))('ioredis');
const run = promisify(execFile);
const folder = await debianFiles({ name: 'redis', ...SERVICES.redis });
const plain = readFileSync(new URL('spikes/claim-script/plain.lua', import.meta.url), 'utf8');
let made = 0;
const segment = { saleId: 'bench', region: 'home', segment: 0 };
const server = await startServer();
const admin = new Redis(server.url, { protocol: 2 });
const store = await openRedisStore({ ledgerId: LEDGER, url: server.url, clock: systemClock, times: PATIENT });
const gate = gateWithRetry(store.gate, store.serverClock);

try {
  const parts = { rates, batch, bytes };
  const wanted = process.argv[2];
  if (wanted && !parts[wanted]) throw new Error(`there is no part ${wanted}, only ${Object.keys(parts).join(', ')}`);
  for (const [name, part] of Object.entries(parts)) if (!wanted || wanted === name) await part();
  console.log(`load average ${loadavg()[0].toFixed(1)}${IS_PINNED ? '; Redis on core 0, its clients on core 1' : ''}`);
} finally {
  store.close();
  admin.disconnect();
  server.stop();
}

async function rates() {
  const shots = new Map(STATES.map(({ name }) => [name, []]));
  // The first round only warms both up.
  for (let round = -1; round < ROUNDS; round++) {
    for (const state of STATES) {
      const naive = await oneAtATime(state);
      const own = await claimsOfMany(state);
      if (round >= 0) shots.get(state.name).push({ naive, own });
    }
  }
  console.log(`rates: median of ${ROUNDS} rounds, ${CLAIMS} claims each, ${ASKERS} asking at once`);
  console.table(Object.fromEntries(STATES.map(({ name, goal }) => [name, rateRow(shots.get(name), goal)])));
}

function rateRow(shots, goal) {
  const middle = (figure) => median(shots.map(figure));
  const busier = ({ serverUs, processUs }) => Math.max(serverUs, processUs);
  return {
    'plain /s': Math.round(middle(({ naive }) => naive.rate)),
    'own /s': Math.round(middle(({ own }) => own.rate)),
    ratio: middle(({ own, naive }) => own.rate / naive.rate).toFixed(1),
    goal: `>= ${goal}`,
    'plain server µs': middle(({ naive }) => naive.serverUs).toFixed(1),
    'own server µs': middle(({ own }) => own.serverUs).toFixed(1),
    'own process µs': middle(({ own }) => own.processUs).toFixed(1),
    'ratio by µs': middle(({ own, naive }) => naive.serverUs / busier(own)).toFixed(1),
    'claims a call': Math.round(middle(({ own }) => own.claimsACall)),
  };
}

/** ASKERS buyers at a time, each a promise; the next comes when one is answered. */
async function claimsOfMany({ units, outcome }) {
  const { session } = await open(units);
  const batcher = createClaimBatcher(gate, () => session.call(segment));
  const requests = Array.from({ length: CLAIMS }, fresh);
  await admin.config('RESETSTAT');
  let next = 0;
  const ask = async () => {
    while (next < CLAIMS) {
      const { kind } = await batcher.claim(requests[next++]);
      if (kind !== outcome) throw new Error(`${kind}, wanted ${outcome}`);
    }
  };
  const serverBefore = await serverCpuUs();
  const processBefore = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: ASKERS }, ask));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(processBefore);
  return {
    rate: CLAIMS / seconds,
    serverUs: ((await serverCpuUs()) - serverBefore) / CLAIMS,
    processUs: (user + system) / CLAIMS,
    claimsACall: CLAIMS / (await scriptCalls()).calls,
  };
}

async function oneAtATime({ units }) {
  const calls = Math.ceil(CLAIMS / 2);
  const sha = await openPlain(units);
  const benchmark = join(folder, 'usr/bin/redis-benchmark');
  const times = ['-c', '64', '-P', '1', '-n', calls, '-r', '1000000000', '--csv'].map(String);
  const script = ['EVALSHA', sha, '3', 'stock', 'buyers', 'orders', 'player-__rand_int__', 'Zk3v__rand_int__'];
  const command = [benchmark, '-p', new URL(server.url).port, ...times, ...script];
  const env = { ...process.env, LD_LIBRARY_PATH: libraryPath(folder) };
  const before = await serverCpuUs();
  const { stdout } = await run(IS_PINNED ? 'taskset' : 'env', [...(IS_PINNED ? ['-c', '1'] : []), ...command], { env });
  const rate = Number(/","([\d.]+)"/.exec(stdout.trim().split('\n').at(-1))[1]);
  return { rate, serverUs: ((await serverCpuUs()) - before) / calls };
}

/** One call at a time: what it takes the server, and how long its caller waits. */
async function batch(calls = 300) {
  const rows = {};
  for (const { name, units } of STATES) {
    const { session } = await open(units);
    const [server, whole] = [[], []];
    for (let n = 0; n < calls; n++) {
      const requests = Array.from({ length: BATCH }, fresh);
      const before = await scriptCalls();
      const start = performance.now();
      await gate.claim(await session.call(segment), requests);
      whole.push(performance.now() - start);
      server.push(((await scriptCalls()).usec - before.usec) / 1000);
    }
    const figures = { 'server ms': server, 'call ms': whole };
    rows[name] = Object.fromEntries(Object.entries(figures).map(([title, each]) => [title, spread(each)]));
    rows[name].goal = `< ${GOAL_BATCH_MS} ms`;
  }
  console.log(`a batch of ${BATCH}: median (best tenth) of ${calls} calls`);
  console.table(rows);
}

async function bytes(winners = 131_000) {
  const { session } = await open(winners);
  const claimSome = async (count) => gate.claim(await session.call(segment), Array.from({ length: count }, fresh));
  const first = await claimSome(1);
  const start = await usedBytes();
  const claims = first.map((outcome) => outcome.claim);
  while (claims.length < winners) {
    const outcomes = await claimSome(Math.min(BATCH, winners - claims.length));
    claims.push(...outcomes.map((outcome) => outcome.claim));
  }
  const queued = (await usedBytes()) - start;
  const buyersBytes = () => admin.memory('USAGE', createNames(LEDGER).keysOf(segment, null).buyers, 'SAMPLES', 0);
  const before = await buyersBytes();
  for (let n = 0; n < 50_000; n += BATCH) await claimSome(BATCH);
  const refused = (await buyersBytes()) - before;
  for (let n = 0; n < claims.length; n += BATCH) {
    await gate.markSettled(await session.call(segment), claims.slice(n, n + BATCH));
  }
  await store.queue.remove(claims);
  const settled = (await usedBytes()) - start;
  const each = (sum) => (sum / winners).toFixed(0);
  const goal = each(await bytesOfPlain(winners));
  console.log(
    `bytes per winner of ${winners}: ${each(queued)} queued, ${each(settled)} settled; goal <= ${goal}, the plain script's`,
  );
  console.log(`bytes of 50,000 refused: ${refused}; goal 0`);
}

async function bytesOfPlain(winners) {
  const sha = await openPlain(winners);
  const empty = await usedBytes();
  for (let n = 0; n < winners; n += BATCH) {
    const pipeline = admin.pipeline();
    for (let i = 0; i < Math.min(BATCH, winners - n); i++) {
      const { buyerId, orderId } = fresh();
      pipeline.evalsha(sha, 3, 'stock', 'buyers', 'orders', buyerId, orderId);
    }
    await pipeline.exec();
  }
  return (await usedBytes()) - empty;
}

async function open(units) {
  await admin.flushall('SYNC');
  const session = createGateSession(gate, store.serverClock);
  const terms = { version: 1, state: 'live', startsAtMs: 0, endsAtMs: 4_102_444_800_000, limitUnits: 1 };
  const load = { segment, epoch: 1, terms, availableUnits: new Map([['main', units]]), marks: [] };
  await gate.load(await session.call(segment), load);
  return { session };
}

async function openPlain(units) {
  await admin.flushall('SYNC');
  await admin.set('stock', units);
  return admin.script('LOAD', plain);
}

function fresh() {
  made += 1;
  // Read from bytes, as they come over the wire: a text that is put together is finished by whoever writes it first.
  const text = (name) => Buffer.from(name).toString();
  const orderId = text(`Zk3vQ9xT${String(made).padStart(8, '0')}`);
  return { buyerId: text(`player-${10_000_000 + made}`), orderId, channel: 'main', units: 1 };
}

async function infoOf(section, pattern) {
  const found = pattern.exec(await admin.info(section));
  return found ? found.slice(1).map(Number) : [0, 0];
}

async function serverCpuUs() {
  const [system, user] = await infoOf('cpu', /used_cpu_sys:([\d.]+)\s+used_cpu_user:([\d.]+)/);
  return (system + user) * 1e6;
}

async function scriptCalls() {
  const [calls, usec] = await infoOf('commandstats', /cmdstat_evalsha:calls=(\d+),usec=(\d+)/);
  return { calls, usec };
}

async function usedBytes() {
  const [used] = await infoOf('memory', /used_memory:(\d+)/);
  return used;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function spread(values) {
  const best = values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)];
  return `${median(values).toFixed(2)} (${best.toFixed(2)})`;
}

async function startServer() {
  const serve = fileURLToPath(new URL('services/serve.mjs', import.meta.url));
  const child = spawn(process.execPath, [serve, 'redis'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { url, pid, missing } = JSON.parse(value ?? '{}');
  if (!url) throw new Error(`Redis is missing: ${missing}`);
  if (IS_PINNED) {
    await run('taskset', ['-a', '-p', '-c', '0', String(pid)]);
    await run('taskset', ['-a', '-p', '-c', '1', String(process.pid)]);
  }
  return { url, stop: () => child.stdin.end() };
}
