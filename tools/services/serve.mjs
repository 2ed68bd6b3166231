/**
 * Runs one server for tests: `node tools/services/serve.mjs postgres [--durable] [--tls=folder]` (or `pgbouncer --before=port`, `redis --node`,
 * `redis --replica-of=port`, `sentinel --before=port`). Prints one JSON line, `{ "url": … }`, when
 * it takes connections, and again after each `restart`; or `{ "missing": … }` with the reason why there is none here.
 *
 * It reads commands from its stdin, a line each: `crash` (as kill -9 would) and `restart`; in between `keep`, which copies the data as
 * it is, and `put-back`, which makes it again what was kept. When stdin ends, whatever became of
 * whoever held it, the server is stopped and its data removed. `node tools/services/serve.mjs --fetch postgres` only fills the cache.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { debianFiles, libraryPath, ServiceMissing, withLock } from './debian-files.mjs';
import { SERVICES } from './services.mjs';

const START_TIMEOUT_MS = 30_000;
/** Another program may take the port between our look and the server's. */
const PORT_TRIES = 3;
const AGAIN_MS = 200;

const isRoot = process.getuid?.() === 0;
/** Servers refuse to run as root. These ids are `nobody` on every Debian. */
const person = isRoot ? { uid: 65_534, gid: 65_534 } : {};

const [name, ...flags] = process.argv.slice(2);
try {
  if (name === '--fetch') await fetchAll(flags);
  else await serve(name);
} catch (error) {
  if (!(error instanceof ServiceMissing)) throw error;
  say({ missing: error.message });
}

async function fetchAll(services) {
  for (const service of services) {
    try {
      await templateOf(service, await debianFiles({ name: service, ...SERVICES[service] }));
    } catch (error) {
      if (!(error instanceof ServiceMissing)) throw error;
      process.stderr.write(`services: ${service} is missing: ${error.message}\n`);
    }
  }
}

async function serve(service) {
  const description = SERVICES[service];
  if (!description)
    throw new ServiceMissing(`there is no service ${service}, only ${Object.keys(SERVICES).join(', ')}`);
  const folder = await debianFiles({ name: service, ...description });
  const template = await templateOf(service, folder);
  const home = mkdtempSync(join(tmpdir(), `sluice-${service}-`));
  const dataDir = join(home, 'data');
  const kept = join(home, 'kept');
  copy(template, dataDir);
  const tls = flagValue('--tls');
  const tlsDir = tls && join(home, 'tls');
  if (tlsDir) {
    copy(tls, tlsDir);
    for (const file of ['server.crt', 'server.key']) own(join(tlsDir, file));
    own(tlsDir);
  }
  own(home);

  // For a second listener, that of a Cluster's nodes among each other.
  const spare = await freePort();
  let server = null;
  const startAt = async (port) => {
    const options = {
      ...{ dataDir, port, spare, before: flagValue('--before'), replicaOf: flagValue('--replica-of') },
      ...{ isDurable: flags.includes('--durable'), isNode: flags.includes('--node'), tlsDir },
    };
    for (const [file, text] of Object.entries(description.files?.(options) ?? {})) {
      if (existsSync(join(dataDir, file))) continue;
      writeFileSync(join(dataDir, file), text);
      own(join(dataDir, file));
    }
    const { command, args } = description.start(folder, options);
    server = await started(spawnIn(folder, command, args), description.isReady);
    say({ url: description.urlOf(port), pid: server.pid });
  };
  const stop = async (signal) => {
    if (!server) return;
    const ended = once(server, 'exit');
    if (server.exitCode === null && server.signalCode === null) {
      server.kill(signal);
      await ended;
    }
    server = null;
  };
  const removeHome = () => rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.stdin.destroy());

  try {
    const port = await firstStart(startAt);
    for await (const line of createInterface({ input: process.stdin })) {
      if (line === 'crash') await stop('SIGKILL');
      if (line === 'keep') copy(dataDir, kept);
      if (line === 'put-back') copy(kept, dataDir);
      if (line === 'restart') await startAgain(() => startAt(port));
    }
  } finally {
    await stop(description.stopSignal);
    removeHome();
  }
}

async function firstStart(startAt) {
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    try {
      await startAt(port);
      return port;
    } catch (error) {
      if (tries === PORT_TRIES) throw error;
    }
  }
}

/** The children of a server that was killed end a moment later, and until then keep another one from its data. */
async function startAgain(start) {
  const untilMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (Date.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** An empty data directory, made once: a copy of it takes a fraction of the time. */
async function templateOf(service, folder) {
  const template = join(folder, 'template');
  await withLock(`${template}.lock`, () => {
    if (existsSync(template)) return;
    const home = mkdtempSync(join(tmpdir(), `sluice-${service}-template-`));
    try {
      own(home);
      const dataDir = join(home, 'data');
      mkdirSync(dataDir);
      own(dataDir);
      const { command, args, input } = SERVICES[service].makeData(folder, dataDir);
      const result = spawnSync(command, args, { ...placeIn(folder), input, encoding: 'utf8' });
      if (result.status !== 0)
        throw new ServiceMissing(`${command} failed: ${(result.stderr ?? '').trim().slice(-500)}`);
      copy(dataDir, `${template}.new`);
      renameSync(`${template}.new`, template);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
  return template;
}

function copy(from, to) {
  rmSync(to, { recursive: true, force: true });
  const { status } = spawnSync('cp', ['-a', '--reflink=auto', from, to]);
  if (status !== 0) cpSync(from, to, { recursive: true });
}

function own(path) {
  if (isRoot) chownSync(path, person.uid, person.gid);
  chmodSync(path, 0o700);
}

function placeIn(folder) {
  const libraries = [libraryPath(folder), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return { ...person, cwd: tmpdir(), env: { ...process.env, LD_LIBRARY_PATH: libraries, LC_ALL: 'C' } };
}

function spawnIn(folder, command, args) {
  return spawn(command, args, { ...placeIn(folder), stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Resolves when the server says that it takes connections. */
function started(server, isReady) {
  return new Promise((resolve, reject) => {
    let log = '';
    const fail = (reason) =>
      reject(new ServiceMissing(`the server does not start (${reason}): ${log.trim().slice(-500)}`));
    const timer = setTimeout(() => {
      server.kill('SIGKILL');
      fail('it takes too long');
    }, START_TIMEOUT_MS);
    server.once('error', (error) => fail(error.code));
    server.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? code}`);
    });
    const read = (chunk) => {
      if (log.length < 100_000) log += chunk;
      if (!isReady.test(log)) return;
      clearTimeout(timer);
      resolve(server);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
  });
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

function flagValue(flag) {
  return flags.find((each) => each.startsWith(`${flag}=`))?.slice(flag.length + 1);
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
