// claim-script: how the gate's keys are laid out and how claims are batched: the figures of docs/decisions/0003.
//
//   npm install --no-save ioredis@6 && node tools/spikes/claim-script/run.mjs          everything
//   node tools/spikes/claim-script/run.mjs check | bytes | server | speed             one part
//
// Needs redis-server, redis-benchmark and taskset on PATH. ioredis is not a dependency yet: the line above adds it once,
// without touching package.json. ROUNDS=7 CLAIMS=40000 PIN=1 are the defaults; PIN=1 puts Redis on core 0 and the
// client on core 1. The server listens on a free port of loopback, without persistence, and is stopped at the end.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';

const run = promisify(execFile);
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const CLAIMS = Number(process.env.CLAIMS ?? 40_000);
const PINNED = (process.env.PIN ?? '1') === '1';
const script = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

// --- The scripts: claim.lua, its rival, and claim.lua with its arguments packed in other ways. -----------------------

const columns = script('claim.lua');
const withArguments = (lua) => columns.replace(/-- args:begin[\s\S]*-- args:end/, () => lua);
const rows = withArguments(`
local function claim_at(i) return ARGV[3 * i + 3], ARGV[3 * i + 4], tonumber(ARGV[3 * i + 5]) end
local names = {}
for i = 1, count do names[i] = ARGV[3 * i + 3] end
local known = redis.call('HMGET', buyers, '', unpack(names))`);
const oneEach = withArguments(`
local names, ids, units = {}, {}, {}
for i = 1, count do names[i], ids[i], units[i] = string.match(ARGV[5 + i], '^(%S+) (%S+) (%d+)$') end
local function claim_at(i) return names[i], ids[i], tonumber(units[i]) end
local known = redis.call('HMGET', buyers, '', unpack(names))`);
const oneForAll = withArguments(`
local names, ids, units = {}, {}, {}
for buyer, id, n in string.gmatch(ARGV[6], '(%S+) (%S+) (%d+);') do
  names[#names + 1], ids[#ids + 1], units[#units + 1] = buyer, id, n
end
local function claim_at(i) return names[i], ids[i], tonumber(units[i]) end
local known = redis.call('HMGET', buyers, '', unpack(names))`);
const packedEntry = columns.replace(`'o', e[2], 'b', e[3], 'u', e[4], 'q', quota`, `'c', e[2] .. ' ' .. e[3] .. ' ' .. e[4] .. ' ' .. quota`);
const entryPerBatch = columns.replace(/for i = 1, #entries do[\s\S]*?\nend\n/, () => `
for i = 1, #entries do entries[i] = table.concat(entries[i], ' ') end
local added = redis.call('XADD', stream, 'NOMKSTREAM', epoch .. '-' .. string.format('%.0f', seq), 'q', quota, 'c', table.concat(entries, ';'))
if not added then return { -2 } end
`);

const packings = {
  columns: (batch) => [...batch.map((c) => c.buyer), ...batch.map((c) => c.orderId), ...batch.map((c) => c.units)],
  rows: (batch) => batch.flatMap((c) => [c.buyer, c.orderId, c.units]),
  oneEach: (batch) => batch.map((c) => `${c.buyer} ${c.orderId} ${c.units}`),
  oneForAll: (batch) => [batch.map((c) => `${c.buyer} ${c.orderId} ${c.units};`).join('')],
};
const variants = {};
for (const size of [1, 16, 64, 256]) variants[`one hash, batch ${size}`] = { lua: columns, size };
variants['two hashes, batch 64'] = { lua: script('claim-two-hashes.lua'), size: 64 };
variants['two hashes, batch 256'] = { lua: script('claim-two-hashes.lua'), size: 256 };
variants['rows, batch 256'] = { lua: rows, size: 256, pack: packings.rows };
variants['one ARGV a claim, batch 256'] = { lua: oneEach, size: 256, pack: packings.oneEach };
variants['one ARGV for all, batch 256'] = { lua: oneForAll, size: 256, pack: packings.oneForAll };
variants['packed stream field, batch 256'] = { lua: packedEntry, size: 256 };
variants['one stream entry a call, batch 256'] = { lua: entryPerBatch, size: 256 };

// --- One segment -------------------------------------------------------------------------------------------------

const keysOf = (segment) => ['meta', 'buyers', 'stream', 'orders'].map((name) => `{spike:${segment}:x}:${name}`);
const KEYS = keysOf(0);
const STREAM = KEYS[2];
let serial = 0;
/** A claim of a buyer nobody has seen; the order id is 128 bits in 22 characters. */
function freshClaim() {
  const number = ++serial;
  return { buyer: `player-${10_000_000 + number}`, orderId: `Zk3vQ9xT_bW4${String(number).padStart(10, '0')}`, units: 1 };
}
const freshBatch = (size) => Array.from({ length: size }, freshClaim);

async function open(redis, available, [meta, buyers, stream, orders] = KEYS) {
  await redis.hset(meta, { identity: 'run-1', epoch: 1, state: 'live', starts_ms: 0, ends_ms: 4102444800000, limit: 2, generation: 1, seq: 0, 'available:web': available, 'claimed:web': 0, 'credited:web': available, 'debited:web': 0, 'released:web': 0 });
  await redis.hset(buyers, '', 1);
  await redis.hset(orders, '', 1);
  await redis.xgroup('CREATE', stream, 'workers', '0', 'MKSTREAM');
}
async function load(redis, available) {
  await redis.flushall('SYNC');
  await open(redis, available);
}
async function caller(redis, { lua, pack = packings.columns }, all = KEYS) {
  const sha = await redis.script('LOAD', lua);
  const keys = lua.includes('KEYS[4]') ? all : all.slice(0, 3);
  return (batch, { identity = 'run-1', deadline = Date.now() + 5000 } = {}) =>
    redis.evalsha(sha, keys.length, ...keys, identity, 1, deadline, 'web', batch.length, ...pack(batch));
}

// --- check: the script does what its head says --------------------------------------------------------------------

async function check(redis) {
  const same = (what, got, want) => {
    if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: ${JSON.stringify(got)}, wanted ${JSON.stringify(want)}`);
  };
  for (const [name, variant] of Object.entries(variants)) {
    const two = variant.lua.includes('KEYS[4]');
    const claim = await caller(redis, variant);
    const answers = async (batch, options) => (await claim(batch, options)).slice(2);
    await load(redis, 5);
    const [a, b, c, d] = freshBatch(4);
    same(`${name}: three win`, await answers([a, b, c]), [1, 2, 3]);
    same(`${name}: replay`, await answers([a]), [two ? `q ${a.buyer} 1 1-1` : `q ${a.orderId} 1 1-1;`]);
    const second = { ...freshClaim(), buyer: a.buyer };
    const third = { ...freshClaim(), buyer: a.buyer };
    const last = await answers([second, third, d, freshClaim()]);
    same(`${name}: limit 2 within one batch`, [last[0], typeof last[1], last[2], last[3]], [4, 'string', 5, -7]);
    const before = await redis.debug('DIGEST');
    same(`${name}: late`, await claim([freshClaim()], { deadline: 1 }), [-1]);
    same(`${name}: another server`, await answers([freshClaim()], { identity: 'run-2' }), [-2]);
    same(`${name}: dry`, await answers(freshBatch(200)), Array(200).fill(-7));
    same(`${name}: no unit`, await claim([{ ...freshClaim(), units: 0 }]), [-3]);
    same(`${name}: losers write nothing`, await redis.debug('DIGEST'), before);
    same(`${name}: entries`, await redis.xlen(STREAM), variant.lua === entryPerBatch ? 2 : 5);
    for (const key of two ? KEYS : KEYS.slice(0, 3)) {
      await load(redis, 5);
      await redis.del(key);
      same(`${name}: without ${key}`, await claim([freshClaim()]), [-2]);
      same(`${name}: without ${key}, nothing written`, await redis.exists(...(two ? KEYS : KEYS.slice(0, 3))), two ? 3 : 2);
    }
  }
  // Memory runs out while batches are written: a call is applied as a whole or not at all.
  for (const name of ['one hash, batch 256', 'two hashes, batch 256']) {
    const claim = await caller(redis, variants[name]);
    await load(redis, 1e9);
    const used = Number((await redis.info('memory')).match(/used_memory:(\d+)/)[1]);
    await redis.config('SET', 'maxmemory', used + 4_000_000);
    let refusal = '';
    while (!refusal) await claim(freshBatch(256)).catch((error) => { refusal = error.message; });
    await redis.config('SET', 'maxmemory', 0);
    if (!/OOM/.test(refusal)) throw new Error(refusal);
    const seq = Number(await redis.hget(KEYS[0], 'seq'));
    same(`${name}: whole batches under a full memory`, [seq > 0, seq % 256, await redis.xlen(STREAM), (await redis.hlen(KEYS[1])) - 1], [true, 0, seq, seq]);
  }
  console.log(`check: ${Object.keys(variants).length} variants agree with the head of claim.lua`);
}

// --- bytes ---------------------------------------------------------------------------------------------------------

async function bytes(redis, winners = 131_000) {
  const used = async () => Number((await redis.info('memory')).match(/used_memory:(\d+)/)[1]);
  const usage = async (...keys) => {
    let sum = 0;
    for (const key of keys) sum += (await redis.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
    return sum;
  };
  const table = {};
  for (const name of ['one hash, batch 256', 'two hashes, batch 256', 'packed stream field, batch 256', 'one stream entry a call, batch 256']) {
    await load(redis, winners);
    const claim = await caller(redis, variants[name]);
    await claim([freshClaim()]);
    const start = await used();
    for (let n = 1; n < winners; n += 255) await claim(freshBatch(Math.min(255, winners - n)));
    const [queued, keysQueued] = [await used() - start, await usage(...KEYS)];
    const refusedFrom = await usage(...KEYS);
    for (let n = 0; n < 50_000; n += 250) await claim(freshBatch(250));
    const refused = (await usage(...KEYS)) - refusedFrom;
    await redis.xtrim(STREAM, 'MAXLEN', 0);
    table[name.replace(', batch 256', '')] = {
      'queued, used_memory': (queued / winners).toFixed(0), 'queued, keys': (keysQueued / winners).toFixed(0),
      'settled, used_memory': ((await used() - start) / winners).toFixed(0), 'settled, keys': ((await usage(...KEYS)) / winners).toFixed(0), '50,000 refused': refused,
    };
  }
  await redis.flushall('SYNC');
  const start = await used();
  await redis.set('stock', winners);
  const sha = await redis.script('LOAD', script('plain.lua'));
  for (let n = 0; n < winners; n += 512) {
    const calls = redis.pipeline();
    for (const { buyer, orderId } of freshBatch(Math.min(512, winners - n))) calls.evalsha(sha, 3, 'stock', 'buyers', 'orders', buyer, orderId);
    await calls.exec();
  }
  table.plain = { 'queued, used_memory': '-', 'queued, keys': '-', 'settled, used_memory': ((await used() - start) / winners).toFixed(0), 'settled, keys': ((await usage('buyers', 'orders')) / winners).toFixed(0), '50,000 refused': 0 };
  console.log(`bytes per winner, ${winners} winners (just under a power of two: tables are full) of one unit, buyer id 15 and order id 22 characters`);
  console.table(table);
}

/** Where the allocator steps: a hash of one kind of entry each, without script or stream. */
async function steps(redis, entries = 131_000) {
  const used = async () => Number((await redis.info('memory')).match(/used_memory:(\d+)/)[1]);
  const table = {};
  for (const [buyer, claims] of [[14, 28], [15, 28], [15, 29], [15, 44], [15, 45], [29, 44], [30, 44]]) {
    await redis.flushall('SYNC');
    const start = await used();
    for (let n = 0; n < entries; n += 500) {
      const fields = Array.from({ length: Math.min(500, entries - n) }, (_, i) => [String(n + i).padStart(buyer, 'p'), 'x'.repeat(claims)]);
      await redis.hset('hash', ...fields.flat());
    }
    table[`buyer id ${buyer}, claims ${claims} bytes`] = { 'bytes per buyer': ((await used() - start) / entries).toFixed(0) };
  }
  console.table(table);
}

// --- server: what a call costs Redis itself ------------------------------------------------------------------------

/** All variants call by call, in changing order, each on a segment of its own, so that noise falls on all alike; median per call. */
async function serverTime(redis, calls = 60 * ROUNDS) {
  const micros = async () => Number((await redis.info('commandstats')).match(/cmdstat_evalsha:.*?usec=(\d+)/)?.[1] ?? 0);
  const table = {};
  for (const [label, available] of [['win', 1e9], ['dry', 0]]) {
    await redis.flushall('SYNC');
    const lanes = [];
    for (const [name, variant] of Object.entries(variants)) {
      const keys = keysOf(lanes.length + 1);
      await open(redis, available, keys);
      lanes.push({ name, size: variant.size, claim: await caller(redis, variant, keys), costs: [] });
    }
    await redis.set('stock', available);
    const sha = await redis.script('LOAD', script('plain.lua'));
    lanes.push({ name: 'plain', size: 1, claim: ([{ buyer, orderId }]) => redis.evalsha(sha, 3, 'stock', 'buyers', 'orders', buyer, orderId), costs: [] });
    let before = await micros();
    for (let n = 0; n < calls; n++) {
      for (const { size, claim, costs } of lanes.toSorted(() => Math.random() - 0.5)) { // what ran before matters: caches
        await claim(freshBatch(size));
        const after = await micros();
        costs.push(after - before);
        before = after;
      }
    }
    for (const { name, size, costs } of lanes) {
      table[name] ??= {};
      table[name][`${label}: ms a call`] = (median(costs) / 1000).toFixed(3);
      table[name][`${label}: us a claim`] = (median(costs) / size).toFixed(2);
    }
  }
  console.log(`server time of EVALSHA, median of ${calls} calls each, variants interleaved`);
  console.table(table);
}

// --- speed ---------------------------------------------------------------------------------------------------------

/** Claims per second with two calls in flight, microseconds of the server per call, and of the client per claim. */
async function shoot(redis, variant, available) {
  await load(redis, available);
  const claim = await caller(redis, variant);
  const calls = Math.ceil((variant.size === 1 ? CLAIMS / 4 : variant.size === 16 ? CLAIMS / 2 : CLAIMS) / variant.size);
  await redis.config('RESETSTAT');
  const cpu = process.cpuUsage();
  const start = performance.now();
  let left = calls;
  const lane = async () => { while (left-- > 0) await claim(freshBatch(variant.size)); };
  await Promise.all([lane(), lane()]);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const callMicros = Number((await redis.info('commandstats')).match(/cmdstat_evalsha:.*usec_per_call=([\d.]+)/)[1]);
  return { rate: (calls * variant.size) / seconds, callMicros, clientMicros: (user + system) / (calls * variant.size) };
}

async function plainRate(redis, port, stock) {
  await redis.flushall('SYNC');
  await redis.set('stock', stock);
  const sha = await redis.script('LOAD', script('plain.lua'));
  await redis.config('RESETSTAT');
  const pin = PINNED ? ['taskset', '-c', '1'] : ['env'];
  const { stdout } = await run(pin[0], [...pin.slice(1), 'redis-benchmark', '-p', String(port), '-c', '64', '-P', '1', '-n', String(CLAIMS / 2), '-r', '1000000000', '--csv',
    'EVALSHA', sha, '3', 'stock', 'buyers', 'orders', 'player-__rand_int__', 'Zk3vQ9xT_b__rand_int__']);
  const callMicros = Number((await redis.info('commandstats')).match(/cmdstat_evalsha:.*usec_per_call=([\d.]+)/)[1]);
  return { rate: Number(stdout.trim().split('\n').at(-1).match(/","([\d.]+)"/)[1]), callMicros, clientMicros: Number.NaN };
}

async function speed(redis, port) {
  const shots = {};
  for (const [label, available] of [['all win', 1e9], ['sold out', 0]]) {
    shots[`plain, ${label}`] = { plain: true, go: () => plainRate(redis, port, available) };
    for (const [name, variant] of Object.entries(variants).filter(([name]) => /hash|rows|ARGV/.test(name))) shots[`${name}, ${label}`] = { go: () => shoot(redis, variant, available) };
  }
  const seen = Object.fromEntries(Object.keys(shots).map((name) => [name, { rates: [], ratios: [], callMicros: [], clientMicros: [] }]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, { plain, go }] of Object.entries(shots)) {
      // Each shot stands beside one of the plain script, so a machine that is slow for a while is slow for both.
      const shot = await go();
      const beside = plain ? shot : await shots['plain, all win'].go();
      if (round < 0) continue;
      seen[name].rates.push(shot.rate);
      seen[name].ratios.push(shot.rate / beside.rate);
      seen[name].callMicros.push(shot.callMicros);
      seen[name].clientMicros.push(shot.clientMicros);
    }
  }
  console.log(`median of ${ROUNDS} rounds; claim.lua: ioredis, one process, 2 calls in flight; plain: redis-benchmark -c 64 -P 1; ${PINNED ? 'pinned' : 'not pinned'}`);
  console.table(Object.fromEntries(Object.entries(seen).map(([name, { rates, ratios, callMicros, clientMicros }]) => [name, {
    'claims/s': Math.round(median(rates)), 'of plain, all win': median(ratios).toFixed(2), 'server ms a call': (median(callMicros) / 1000).toFixed(3), 'client CPU us a claim': median(clientMicros).toFixed(1),
  }])));
}

// --- The server ----------------------------------------------------------------------------------------------------

const port = await new Promise((resolve) => {
  const probe = net.createServer().listen(0, '127.0.0.1', () => { const { port: free } = probe.address(); probe.close(() => resolve(free)); });
});
const folder = mkdtempSync(join(tmpdir(), 'claim-script-'));
const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, '--enable-debug-command', 'local'], { stdio: 'ignore' });
if (PINNED) {
  await run('taskset', ['-a', '-p', '-c', '0', String(server.pid)]);
  await run('taskset', ['-a', '-p', '-c', '1', String(process.pid)]);
}
const redis = new Redis({ port, host: '127.0.0.1', protocol: 2, maxRetriesPerRequest: 20 });
redis.on('error', () => {}); // it is still starting
try {
  const part = process.argv[2] ?? 'all';
  if (part === 'check' || part === 'all') await check(redis);
  if (part === 'bytes' || part === 'all') { await bytes(redis); await steps(redis); }
  if (part === 'server' || part === 'all') await serverTime(redis);
  if (part === 'speed' || part === 'all') await speed(redis, port);
} finally {
  redis.disconnect();
  server.kill();
  rmSync(folder, { recursive: true });
}
