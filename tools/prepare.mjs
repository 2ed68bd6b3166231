/**
 * Makes a clone ready to run: installs what package-lock.json names, builds what changed. npm calls it before `start`
 * and `test`, so that both work right after `git clone`.
 *
 * Promises: nothing to do costs well under 0.3 s and prints nothing; two runs at once wait for each other; a Node that
 * is too old gets one clear sentence. That sentence is why the syntax here is old and the `node:` prefix is missing:
 * a file that does not parse cannot say anything.
 */
import childProcess from 'child_process';
import crypto from 'crypto';
import fs from 'fs';
import os from 'os';
import path from 'path';
import url from 'url';

const OLDEST_NODE = [20, 20];
const PACKAGES = ['contract', 'engine', 'storefront'];
const LOCK_BEAT_MS = 1000;
/** A holder beats every second; one that has been silent for this long is gone (killed, or its machine slept). */
const LOCK_STALE_MS = 20000;
const LOCK_POLL_MS = 100;

const root = path.dirname(path.dirname(url.fileURLToPath(import.meta.url)));
const cacheDir = path.join(root, '.cache');
const stampFile = path.join(cacheDir, 'prepare.json');
const lockDir = path.join(cacheDir, 'prepare.lock');

function say(sentence) {
  process.stderr.write('prepare: ' + sentence + '\n');
}

function nodeIsTooOld() {
  const parts = process.versions.node.split('.').map(Number);
  return parts[0] < OLDEST_NODE[0] || (parts[0] === OLDEST_NODE[0] && parts[1] < OLDEST_NODE[1]);
}

function sha256(text) {
  return crypto.createHash('sha256').update(text).digest('hex');
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function readJson(file) {
  try {
    return JSON.parse(readText(file));
  } catch (_) {
    return {};
  }
}

function writeStamp(change) {
  fs.mkdirSync(cacheDir, { recursive: true });
  fs.writeFileSync(stampFile, JSON.stringify(Object.assign(readJson(stampFile), change)) + '\n');
}

function installHash() {
  return sha256(readText(path.join(root, 'package-lock.json')));
}

/** Path, size and time of every file a build reads: cheap to take, and a wrong "changed" only costs a quick build. */
function sourcesHash() {
  const lines = [];
  function note(file) {
    const stat = fs.statSync(file);
    lines.push(file.slice(root.length) + ' ' + stat.size + ' ' + stat.mtimeMs);
  }
  function walk(dir) {
    fs.readdirSync(dir, { withFileTypes: true }).forEach(function (entry) {
      const full = path.join(dir, entry.name);
      if (entry.isDirectory()) walk(full);
      else note(full);
    });
  }
  fs.readdirSync(root).forEach(function (name) {
    if (/^(tsconfig.*|package-lock)\.json$/.test(name)) note(path.join(root, name));
  });
  PACKAGES.forEach(function (name) {
    const dir = path.join(root, 'packages', name);
    walk(path.join(dir, 'src'));
    fs.readdirSync(dir).forEach(function (file) {
      if (/^(tsconfig.*|package)\.json$/.test(file)) note(path.join(dir, file));
    });
  });
  note(path.join(root, 'tools', 'build.mjs'));
  return sha256(lines.sort().join('\n'));
}

/** True when somebody installed by hand exactly what package-lock.json names: then there is nothing to repeat. */
function installedByHand() {
  const wanted = readJson(path.join(root, 'package-lock.json')).packages || {};
  const present = readJson(path.join(root, 'node_modules', '.package-lock.json')).packages;
  if (!present) return false;
  return Object.keys(wanted).every(function (key) {
    const entry = wanted[key];
    if (!key.includes('node_modules/') || entry.link) return true;
    const found = present[key];
    if (!found) return Boolean(entry.optional || entry.peer);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

function needsInstall() {
  if (!fs.existsSync(path.join(root, 'node_modules', '.package-lock.json'))) return true;
  const hash = installHash();
  if (readJson(stampFile).installed === hash) return false;
  if (!installedByHand()) return true;
  writeStamp({ installed: hash });
  return false;
}

function needsBuild() {
  const everyDist = PACKAGES.every(function (name) {
    return fs.existsSync(path.join(root, 'packages', name, 'dist', '.tsbuildinfo'));
  });
  return !everyDist || readJson(stampFile).built !== sourcesHash();
}

/** Runs to its end with our lock beating meanwhile; its output goes to stderr, where it cannot mix with results. */
function run(command, args, options) {
  return new Promise(function (resolve, reject) {
    const settings = Object.assign({ cwd: root, stdio: ['ignore', process.stderr, process.stderr] }, options);
    const child = childProcess.spawn(command, args, settings);
    child.on('error', reject);
    child.on('exit', function (code, signal) {
      if (code === 0) resolve();
      else
        reject(new Error('`' + [path.basename(command)].concat(args).join(' ') + '` ended with ' + (signal || code)));
    });
  });
}

async function install() {
  const started = Date.now();
  say('installing what package-lock.json names (npm ci, about half a minute the first time)');
  // A shell set to production would leave out the compiler, so dev packages are asked for by name.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const npmCli = process.env.npm_execpath || '';
  if (path.basename(npmCli) === 'npm-cli.js') await run(process.execPath, [npmCli].concat(args));
  else await run('npm', args, { shell: process.platform === 'win32' });
  writeStamp({ installed: installHash() });
  say('installed in ' + seconds(started));
}

async function build() {
  const started = Date.now();
  const hash = sourcesHash();
  say('building, because sources changed');
  await run(process.execPath, [path.join('tools', 'build.mjs')]);
  writeStamp({ built: hash });
  say('built in ' + seconds(started));
}

function seconds(started) {
  return ((Date.now() - started) / 1000).toFixed(1) + ' s';
}

/** The holder of the lock as it stands, or undefined when nobody holds it. */
function lockHolder() {
  try {
    const silentMs = Date.now() - fs.statSync(lockDir).mtimeMs;
    const owner = readJson(path.join(lockDir, 'owner.json'));
    return { owner: owner, stale: silentMs > LOCK_STALE_MS || ownerIsDead(owner) };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function ownerIsDead(owner) {
  if (owner.host !== os.hostname() || !owner.pid) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Moves a dead holder's lock aside. If a live run took its place in between, that run's lock is put back. */
function removeStaleLock(stale) {
  const aside = lockDir + '.' + process.pid + '.' + Date.now();
  try {
    fs.renameSync(lockDir, aside);
    const moved = readJson(path.join(aside, 'owner.json'));
    if (moved.token === stale.token) fs.rmSync(aside, { recursive: true, force: true });
    else fs.renameSync(aside, lockDir);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}

async function takeLock() {
  const owner = { pid: process.pid, host: os.hostname(), token: crypto.randomBytes(8).toString('hex') };
  let told = false;
  fs.mkdirSync(cacheDir, { recursive: true });
  for (;;) {
    try {
      fs.mkdirSync(lockDir);
      fs.writeFileSync(path.join(lockDir, 'owner.json'), JSON.stringify(owner));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = lockHolder();
    if (holder && holder.stale) removeStaleLock(holder.owner);
    else if (holder && !told) {
      say('waiting for another run that is installing or building');
      told = true;
    }
    await new Promise(function (resolve) {
      setTimeout(resolve, LOCK_POLL_MS);
    });
  }
}

async function withLock(work) {
  await takeLock();
  const beat = setInterval(function () {
    const now = new Date();
    fs.utimes(lockDir, now, now, function () {});
  }, LOCK_BEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(beat);
    fs.rmSync(lockDir, { recursive: true, force: true });
  }
}

async function prepare() {
  if (!needsInstall() && !needsBuild()) return;
  await withLock(async function () {
    // Asked again: the run we waited for may have done it all.
    if (needsInstall()) await install();
    if (needsBuild()) await build();
  });
}

if (nodeIsTooOld()) {
  say('Sluice needs Node ' + OLDEST_NODE.join('.') + ' or newer; this is Node ' + process.versions.node + '.');
  process.exitCode = 1;
} else {
  prepare().catch(function (error) {
    say('failed: ' + error.message);
    process.exitCode = 1;
  });
}
