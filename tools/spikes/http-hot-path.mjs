// http-hot-path: what one purchase costs in an HTTP server, and what carries it: the figures of docs/decisions/0002.
//
//   node tools/spikes/http-hot-path.mjs                  the ladder: every variant, interleaved rounds of wrk
//   node tools/spikes/http-hot-path.mjs costs            single costs in microseconds
//   node tools/spikes/http-hot-path.mjs safe             an unread body on a kept-alive connection: is the next answer right?
//   ONLY='^win-fastify$' node --cpu-prof tools/spikes/http-hot-path.mjs    one variant beside the echo, with profiles
//
// Needs wrk on PATH, and fastify and fast-jwt in the repository's node_modules. ROUNDS=9 SECONDS=1 PIN=1 are the
// defaults; PIN=1 puts the servers on core 0 and wrk on core 1 by taskset. All servers listen on loopback, port 0.
// Every variant is sent the same bytes: POST, JWT and purchase token in headers, a small JSON body.
import { execFile, fork } from 'node:child_process';
import crypto, { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSigner, createVerifier } from 'fast-jwt';
import Fastify from 'fastify';

const ROUNDS = Number(process.env.ROUNDS ?? 9);
const SECONDS = Number(process.env.SECONDS ?? 1);
const PINNED = (process.env.PIN ?? '1') === '1';
const BUYERS = 8000;
const PATH = '/v1/sales/spike/purchases';
const JWT_SECRET = 'spike-secret-of-at-least-32-bytes!!';
const key = createSecretKey(Buffer.from('another-spike-secret-of-32-bytes-'));

// --- The purchase token: length-prefixed fields, then an HMAC-SHA-256 over all of them. ------------------------------

// One scratch buffer for all of them: packing never waits, so nobody else can be writing into it.
const scratch = Buffer.allocUnsafe(1024);
function packFields(fields) {
  let end = 0;
  for (const field of fields) {
    const length = scratch.latin1Write(String(field), end + 1);
    scratch[end] = length;
    end += 1 + length;
  }
  return end;
}
/** The fields and their MAC, as text. */
function seal(fields) {
  const end = packFields(fields);
  scratch.set(sign(scratch.subarray(0, end)), end);
  return scratch.base64urlSlice(0, end + 32);
}
const sign = (bytes) => createHmac('sha256', key).update(bytes).digest();

function mintToken(buyer) {
  const orderId = createHash('sha256').update(buyer).digest('hex').slice(0, 32);
  return seal([1, 'k1', orderId, 'spike', buyer, 'region-1', 'web', 0, 4102444800000]);
}

/** The order the token stands for, or undefined. The MAC comes first: nothing unsigned is parsed. */
function readToken(token) {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length < 41 || bytes.length > 512) return undefined;
  const body = bytes.subarray(0, bytes.length - 32);
  if (!timingSafeEqual(sign(body), bytes.subarray(bytes.length - 32))) return undefined;
  const fields = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 1 + body[at];
    fields.push(body.latin1Slice(at + 1, end));
    at = end;
  }
  const [, , orderId, sale, buyer, region, channel, earliest, latest] = fields;
  return { orderId, sale, buyer, region, channel, earliest: Number(earliest), latest: Number(latest) };
}

const receiptFor = (orderId, seq) => seal([1, 'k1', orderId, 1, seq]);

// --- The gate, as the HTTP side sees it: an asynchronous call whose arguments travel in batches. ---------------------

function gate() {
  const claims = new Map();
  let waiting = [];
  let seq = 0;
  const flush = () => {
    const batch = waiting;
    waiting = [];
    for (const { orderId, resolve } of batch) {
      claims.set(orderId, ++seq); // a claim reads and writes every time, so tokens can be used again in this measurement
      resolve(seq);
    }
  };
  return (orderId) =>
    new Promise((resolve) => {
      if (waiting.push({ orderId, resolve }) === 1) setImmediate(flush);
    });
}

/**
 * fast-jwt with a bounded cache of our own in front: the whole token is the key, so there is neither a hash to pay for
 * nor a collision to fear. Two generations of a Map stand for an LRU; the times are looked at again at every hit.
 */
function verifierWith(bound) {
  const verify = createVerifier({ key: JWT_SECRET, algorithms: ['HS256'] });
  let young = new Map();
  let old = new Map();
  return (token) => {
    let claims = young.get(token);
    if (claims === undefined) {
      claims = old.get(token) ?? verify(token);
      if (young.size >= bound / 2) [old, young] = [young, new Map()];
      young.set(token, claims);
    }
    const seconds = Date.now() / 1000;
    if (claims.exp <= seconds || claims.nbf > seconds) throw new Error('out of time');
    return claims;
  };
}

/** Who asks, and for which order. A string is a refusal. */
function checkHeaders(headers, verifyJwt) {
  let claims;
  try {
    claims = verifyJwt(headers.authorization.slice(7));
  } catch {
    return 'unauthenticated';
  }
  const order = readToken(headers['idempotency-key']);
  if (!order) return 'token_invalid';
  if (order.buyer !== claims.sub || order.sale !== 'spike') return 'token_foreign';
  const now = Date.now();
  return now < order.earliest ? 'too_early' : now > order.latest ? 'token_expired' : order;
}

const SOLD_OUT = {
  type: 'https://example.invalid/problems/sold_out', title: 'Sold out', status: 409, reason: 'sold_out',
  proof: sign(Buffer.from('spike sold_out generation 7')).toString('base64url'), // signed once per sale and generation
};
const soldOutText = JSON.stringify(SOLD_OUT);
const soldOutBuffer = Buffer.from(soldOutText);
const soldOutHead = ['Content-Type', 'application/problem+json', 'Content-Length', String(soldOutBuffer.length)];
const refuse = (res, body) => res.writeHead(409, soldOutHead).end(body, 'latin1');

// An answer given before the body is read leaves the body to node:http, which throws it away: without a limit.
// Only a small body of known length may be left unread; every other request goes the long way, whose limit holds.
const mayLeaveUnread = (headers) => Number(headers['content-length']) <= 4096 && headers['transfer-encoding'] === undefined;

// --- Servers ----------------------------------------------------------------------------------------------------

function readBody(req, done) {
  let text = '';
  req.setEncoding('utf8');
  req.on('data', (chunk) => { text += chunk; });
  req.on('end', () => done(JSON.parse(text)));
}
function sendJson(res, status, value) {
  const text = JSON.stringify(value);
  res.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))]).end(text);
}
const bare = (onRequest) => http.createServer(onRequest);

const answerSchema = {
  type: 'object', required: ['orderId', 'status', 'units', 'replayed', 'receipt'], additionalProperties: false,
  properties: { orderId: { type: 'string' }, status: { type: 'string' }, units: { type: 'integer' }, replayed: { type: 'boolean' }, receipt: { type: 'string' } },
};
const problemSchema = {
  type: 'object', required: ['type', 'title', 'status', 'reason'],
  properties: { type: { type: 'string' }, title: { type: 'string' }, status: { type: 'integer' }, reason: { type: 'string' }, proof: { type: 'string' } },
};
// TypeBox makes exactly such objects; written out, this file needs one import less.
const bodySchema = {
  type: 'object', required: ['units'], additionalProperties: false,
  properties: { units: { type: 'integer', minimum: 1, maximum: 100 }, channel: { type: 'string', maxLength: 32 } },
};

function fastify(options = {}) {
  return Fastify({ logger: false, bodyLimit: 4096, ajv: { customOptions: { coerceTypes: false } }, ...options });
}
async function listenFastify(app, route) {
  app.post('/v1/sales/:sale/purchases', { schema: { body: bodySchema, response: { 202: answerSchema, 409: problemSchema } }, ...route });
  await app.ready();
  return app;
}

function winFastify({ cache = 32768, app = fastify(), refuseInHandler = false, header = false } = {}) {
  const verifyJwt = verifierWith(cache);
  const claim = gate();
  const decide = (request, reply, order) => {
    if (refuseInHandler) return reply.code(409).type('application/problem+json').send(SOLD_OUT);
    return claim(order.orderId).then((seq) => {
      reply.code(202).send({ orderId: order.orderId, status: 'queued', units: request.body.units, replayed: false, receipt: receiptFor(order.orderId, seq) });
    });
  };
  return listenFastify(app, {
    handler(request, reply) {
      const order = checkHeaders(request.headers, verifyJwt);
      if (typeof order === 'string') return void reply.code(401).send({ reason: order });
      decide(request, reply, order);
    },
  });
}

/** Refuses in onRequest: the body is not read. `look` says how much is checked first. */
function refuseInHook(look, body) {
  const verifyJwt = verifierWith(32768);
  const findOrder = gate(); // "is this order a win?", answered in batches
  return listenFastify(fastify(), {
    onRequest(request, reply, next) {
      if (!mayLeaveUnread(request.headers)) return next();
      if (!look) { reply.hijack(); refuse(reply.raw, body); return; }
      const order = checkHeaders(request.headers, verifyJwt);
      if (typeof order === 'string') return next();
      findOrder(order.orderId).then(() => { reply.hijack(); refuse(reply.raw, body); });
    },
    handler(request, reply) { reply.code(409).type('application/problem+json').send(SOLD_OUT); },
  });
}

const variants = {
  'echo-http': () => bare((req, res) => readBody(req, (body) => sendJson(res, 200, body))),
  'echo-fastify': async () => {
    const app = fastify();
    app.post('/v1/sales/:sale/purchases', { schema: { body: bodySchema, response: { 200: bodySchema } } }, (request, reply) => { reply.send(request.body); });
    await app.ready();
    return app;
  },
  'win-http': () => {
    const verifyJwt = verifierWith(32768);
    const claim = gate();
    return bare((req, res) => readBody(req, (body) => {
      const order = checkHeaders(req.headers, verifyJwt);
      if (typeof order === 'string') return sendJson(res, 401, { reason: order });
      if (!Number.isInteger(body.units) || body.units < 1 || body.units > 100) return sendJson(res, 400, { reason: 'invalid' });
      claim(order.orderId).then((seq) => sendJson(res, 202, { orderId: order.orderId, status: 'queued', units: body.units, replayed: false, receipt: receiptFor(order.orderId, seq) }));
    }));
  },
  'win-fastify': () => winFastify(),
  'win-fastify, JWT not cached': () => winFastify({ cache: 1000 }), // 8,000 buyers in turn: never a hit
  'refuse, handler': () => winFastify({ refuseInHandler: true }),
  'refuse, hook, checked': () => refuseInHook(true, soldOutText),
  'refuse, hook, blind': () => refuseInHook(false, soldOutText),
  'refuse, hook, blind, Buffer': () => refuseInHook(false, soldOutBuffer),
  'refuse, before fastify': () => {
    const serverFactory = (handler) => http.createServer((req, res) => {
      if (req.method === 'POST' && req.url === PATH && mayLeaveUnread(req.headers)) refuse(res, soldOutText);
      else handler(req, res);
    });
    return listenFastify(fastify({ serverFactory }), { handler(request, reply) { reply.code(409).type('application/problem+json').send(SOLD_OUT); } });
  },
};

async function serve(name) {
  const built = await variants[name]();
  if (built.listen && !built.server) await new Promise((resolve) => built.listen(0, '127.0.0.1', resolve));
  else await built.listen({ port: 0, host: '127.0.0.1' });
  return (built.server ?? built).address().port;
}

// --- The ladder -------------------------------------------------------------------------------------------------

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const run = promisify(execFile);

const wrkScript = (pairsFile) => `
local requests = {}
local next_one = 0
function init(args)
  for line in io.lines("${pairsFile}") do
    local jwt, token = line:match("(%S+) (%S+)")
    requests[#requests + 1] = wrk.format("POST", "${PATH}", {
      ["Authorization"] = "Bearer " .. jwt, ["Idempotency-Key"] = token, ["Content-Type"] = "application/json",
    }, '{"units":1,"channel":"web"}')
  end
end
function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end`;

async function ladder() {
  const folder = mkdtempSync(join(tmpdir(), 'http-hot-path-'));
  const signJwt = createSigner({ key: JWT_SECRET, algorithm: 'HS256', expiresIn: '1h' });
  const pairs = Array.from({ length: BUYERS }, (_, i) => `${signJwt({ sub: `buyer-${i}`, server: 's-17', role: 'knight', level: 41, vip: 3 })} ${mintToken(`buyer-${i}`)}`);
  writeFileSync(join(folder, 'pairs'), pairs.join('\n'));
  writeFileSync(join(folder, 'wrk.lua'), wrkScript(join(folder, 'pairs')));

  const names = Object.keys(variants).filter((name) => name === 'echo-http' || !process.env.ONLY || new RegExp(process.env.ONLY).test(name));
  const servers = new Map();
  for (const name of names) {
    const child = fork(fileURLToPath(import.meta.url), ['serve', name]);
    const port = await new Promise((resolve, reject) => { child.once('message', resolve); child.once('exit', () => reject(new Error(name))); });
    if (PINNED) await run('taskset', ['-a', '-p', '-c', '0', String(child.pid)]);
    const cpu = () => new Promise((resolve) => { child.once('message', resolve); child.send('cpu'); });
    servers.set(name, { child, port, cpu, rates: [], user: [], system: [], ratios: [], cpuRatios: [] });
  }
  const shoot = async ({ port, cpu }, seconds) => {
    const pin = PINNED ? ['taskset', '-c', '1'] : ['env'];
    const before = await cpu();
    const { stdout } = await run(pin[0], [...pin.slice(1), 'wrk', '-t1', '-c64', `-d${seconds}s`, '-s', join(folder, 'wrk.lua'), `http://127.0.0.1:${port}${PATH}`]);
    const after = await cpu();
    if (/Socket errors/.test(stdout)) throw new Error(stdout);
    const [, requests, , time, unit] = stdout.match(/(\d+) requests in (([\d.]+)(m?s))/) ?? [];
    return { rate: Number(requests) / (unit === 'ms' ? time / 1000 : time), user: (after.user - before.user) / requests, system: (after.system - before.system) / requests };
  };
  try {
    for (const server of servers.values()) await shoot(server, 3); // warm
    const echo = servers.get('echo-http');
    for (let round = 0; round < ROUNDS; round++) {
      let before = await shoot(echo, SECONDS);
      for (const [name, server] of servers) {
        // Each shot stands between two of the echo, so a machine that is slow for a while is slow for both.
        const shot = name === 'echo-http' ? before : await shoot(server, SECONDS);
        const after = name === 'echo-http' ? before : await shoot(echo, SECONDS);
        server.rates.push(shot.rate);
        server.user.push(shot.user);
        server.system.push(shot.system);
        server.ratios.push((2 * shot.rate) / (before.rate + after.rate));
        server.cpuRatios.push((before.user + before.system + after.user + after.system) / (2 * (shot.user + shot.system)));
        before = after;
      }
    }
  } finally {
    for (const { child } of servers.values()) child.kill();
    rmSync(folder, { recursive: true });
  }
  console.log(`median of ${ROUNDS} rounds of ${SECONDS} s, wrk 1 thread x 64 connections, ${PINNED ? 'pinned' : 'not pinned'}, node ${process.version}`);
  console.table(Object.fromEntries([...servers].map(([name, { rates, user, system, ratios, cpuRatios }]) => [name, {
    'per s': Math.round(median(rates)), 'of echo-http': median(ratios).toFixed(2), 'min..max': `${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)}`, 'user us': median(user).toFixed(1), 'least': Math.min(...user).toFixed(1), 'system us': median(system).toFixed(1), "echo's CPU / its CPU": median(cpuRatios).toFixed(2),
  }])));
}

// --- Single costs ------------------------------------------------------------------------------------------------

function costs() {
  const signJwt = createSigner({ key: JWT_SECRET, algorithm: 'HS256', expiresIn: '1h' });
  const jwts = Array.from({ length: 1000 }, (_, i) => signJwt({ sub: `buyer-${i}`, server: 's-17', role: 'knight', level: 41, vip: 3 }));
  const tokens = jwts.map((_, i) => mintToken(`buyer-${i}`));
  const bodies = tokens.map((token) => Buffer.from(token, 'base64url').subarray(0, -32));
  const keyBytes = key.export();
  const hashed = createVerifier({ key: JWT_SECRET, algorithms: ['HS256'], cache: 2000 });
  const cached = verifierWith(2000);
  const uncached = createVerifier({ key: JWT_SECRET, algorithms: ['HS256'] });
  const pads = [0x36, 0x5c].map((pad) => Buffer.alloc(64, pad).map((byte, i) => byte ^ (keyBytes[i] ?? 0)));
  const [inner, outer] = pads.map((pad) => createHash('sha256').update(pad));
  const hmacByCopy = (body) => outer.copy().update(inner.copy().update(body).digest()).digest();
  const hmacByOneShot = (body) => crypto.hash('sha256', Buffer.concat([pads[1], crypto.hash('sha256', Buffer.concat([pads[0], body]), 'buffer')]), 'buffer');
  for (const other of [hmacByCopy, hmacByOneShot]) if (crypto.hash && !other(bodies[0]).equals(sign(bodies[0]))) throw new Error('HMAC differs');

  const things = {
    'JWT, cached in our own Map': (i) => cached(jwts[i]),
    'JWT, cached by fast-jwt itself': (i) => hashed(jwts[i]),
    'JWT, not cached': (i) => uncached(jwts[i]),
    'purchase token: read and verify': (i) => readToken(tokens[i]),
    'receipt: pack and sign': (i) => receiptFor('0123456789abcdef0123456789abcdef', i),
    'HMAC, createHmac, KeyObject': (i) => sign(bodies[i]),
    'HMAC, createHmac, Buffer key': (i) => createHmac('sha256', keyBytes).update(bodies[i]).digest(),
    'HMAC, two createHash copies': (i) => hmacByCopy(bodies[i]),
    ...(crypto.hash && { 'HMAC, two crypto.hash': (i) => hmacByOneShot(bodies[i]) }),
    'timingSafeEqual, 32 bytes': (i) => timingSafeEqual(keyBytes.subarray(0, 32), bodies[i].subarray(0, 32)),
    'base64url to bytes': (i) => Buffer.from(tokens[i], 'base64url'),
    'JSON.stringify of the answer': (i) => JSON.stringify({ orderId: tokens[i], status: 'queued', units: 1, replayed: false, receipt: tokens[i] }),
  };
  const times = Object.fromEntries(Object.keys(things).map((name) => [name, []]));
  for (let round = 0; round < 9; round++) {
    for (const [name, thing] of Object.entries(things)) {
      const start = process.cpuUsage();
      for (let n = 0; n < 30_000; n++) thing(n % 1000);
      const { user, system } = process.cpuUsage(start);
      if (round > 1) times[name].push((user + system) / 30_000);
    }
  }
  console.table(Object.fromEntries(Object.entries(times).map(([name, list]) => [name, { 'CPU us, median of 7': median(list).toFixed(2) }])));
}

// --- Is an answer before the body safe? ----------------------------------------------------------------------------

/** Sends raw bytes in the given pieces and gives back the status lines that came. */
function raw(port, pieces) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => { text += chunk; });
    const end = () => { resolve((text.match(/HTTP\/1\.1 \d+/g) ?? []).map((line) => line.slice(9)).join(' ') + (socket.readableEnded ? ' closed' : ' open')); socket.destroy(); };
    socket.on('error', () => {});
    (async () => {
      for (const piece of pieces) { socket.write(piece); await new Promise((wait) => setTimeout(wait, 60)); }
      end();
    })();
  });
}

async function safe() {
  const jwt = createSigner({ key: JWT_SECRET, algorithm: 'HS256', expiresIn: '1h' })({ sub: 'buyer-1' });
  const who = `Authorization: Bearer ${jwt}\r\nIdempotency-Key: ${mintToken('buyer-1')}\r\n`;
  const head = (extra) => `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${who}${extra}\r\n\r\n`;
  const body = '{"units":1}';
  const small = head(`Content-Length: ${body.length}`);
  const get = 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const name of ['refuse, hook, checked', 'refuse, hook, blind', 'refuse, before fastify']) {
    const port = await serve(name);
    console.log(name);
    console.log('  body in one piece, then another request :', await raw(port, [small + body, get]), '(want 409 404 open)');
    console.log('  three requests in one write             :', await raw(port, [small + body + small + body + get]), '(want 409 409 404 open)');
    console.log('  body comes after the answer             :', await raw(port, [small, body, get]), '(want 409 404 open)');
    console.log('  client waits for 100-continue           :', await raw(port, [head(`Expect: 100-continue\r\nContent-Length: ${body.length}`), body, get]), '(want 100 409 404 open)');
    console.log('  body looks like a request               :', await raw(port, [head(`Content-Length: ${get.length}`) + get, get]), '(want 409 404 open)');
    console.log('  chunked body, read the long way         :', await raw(port, [`${head('Transfer-Encoding: chunked')}b\r\n${body}\r\n0\r\n\r\n`, get]), '(want 409 404 open)');
    console.log('  body above the limit                    :', await raw(port, [head('Content-Length: 999999'), 'x'.repeat(9999)]), '(want 413)');
  }
  process.exit(0);
}

const [mode, name] = process.argv.slice(2);
if (mode === 'serve') {
  const port = await serve(name);
  process.on('message', () => { process.send(process.cpuUsage()); });
  process.on('SIGTERM', () => process.exit(0)); // an orderly end, so that --cpu-prof writes its file
  process.send(port);
} else if (mode === 'costs') costs();
else if (mode === 'safe') await safe();
else await ladder();
