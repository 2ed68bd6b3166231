/**
 * Unpacks Debian packages into a cache folder, with the shared libraries that this system lacks: real servers for tests, and
 * nothing installed. Needs `apt-get`, `apt-cache` and `dpkg-deb`, and no rights.
 *
 * Promises: a folder that has its mark is complete; two runs at once wait for each other.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A holder that has been silent for this long is gone: a download takes seconds. */
const LOCK_STALE_MS = 180_000;
const LOCK_POLL_MS = 200;

/** The system's own are always there, and must fit its loader; LLVM only serves a compiler that is switched off. */
const NEVER_UNPACKED = /^lib(c6|c-bin|gcc-s1|crypt1|llvm.*|perl.*|.*-perl)$/;

/** What stands in the way of having the server here, in one sentence. */
export class ServiceMissing extends Error {}

function cacheFolder() {
  const chosen = process.env.TEST_CACHE;
  if (chosen) return chosen;
  // Servers refuse to run as root and run as nobody then, who cannot read root's home.
  return process.getuid?.() === 0 ? '/var/cache/sluice-services' : join(homedir(), '.cache', 'sluice-services');
}

/** The folder that has the packages unpacked; `binaries` are paths in it that must find their libraries. */
export async function debianFiles({ name, packages, binaries }) {
  const key = createHash('sha256')
    .update(JSON.stringify([packages, binaries]))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cacheFolder(), `${name}-${key}`);
  if (existsSync(join(folder, '.complete'))) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  await withLock(`${folder}.lock`, () => {
    if (!existsSync(join(folder, '.complete'))) unpack(folder, packages, binaries);
  });
  return folder;
}

export function libraryPath(folder) {
  const lib = join(folder, 'usr', 'lib');
  const triplets = existsSync(lib) ? readdirSync(lib).filter((entry) => entry.includes('-linux-')) : [];
  return triplets.flatMap((triplet) => [join(lib, triplet), join(folder, 'lib', triplet)]).join(':');
}

export async function withLock(lock, work) {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (since > 0 && Date.now() - since > LOCK_STALE_MS) rmSync(lock, { recursive: true, force: true });
    else await sleep(LOCK_POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function unpack(folder, packages, binaries) {
  process.stderr.write(`services: unpacking ${packages.join(', ')} into ${folder}\n`);
  const scratch = mkdtempSync(`${folder}.new-`);
  try {
    download(scratch, packages);
    if (missingLibraries(scratch, binaries).length > 0) download(scratch, librariesOf(packages));
    const missing = missingLibraries(scratch, binaries);
    if (missing.length > 0) throw new ServiceMissing(`no package here has ${missing.join(', ')}`);
    // Whoever the server runs as reads it.
    run('chmod', ['-R', 'a+rX', scratch]);
    writeFileSync(join(scratch, '.complete'), `${new Date().toISOString()}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function download(folder, packages) {
  const debs = join(folder, 'debs');
  mkdirSync(debs);
  const get = () => spawnSync('apt-get', ['download', '-q', ...packages], { cwd: debs, encoding: 'utf8' });
  let result = get();
  // A fresh machine knows no packages, or names files that the archive has replaced since.
  if (result.status !== 0 && process.getuid?.() === 0) {
    spawnSync('apt-get', ['update', '-q'], { stdio: ['ignore', 'ignore', 'inherit'] });
    result = get();
  }
  if (result.error) throw new ServiceMissing(`apt-get does not run here (${result.error.code})`);
  if (result.status !== 0) {
    const said = result.stderr.split('\n').find((line) => line.startsWith('E:')) ?? `status ${result.status}`;
    throw new ServiceMissing(`apt-get download ${packages.join(' ')}: ${said}`);
  }
  for (const deb of readdirSync(debs)) run('dpkg-deb', ['-x', join(debs, deb), folder]);
  rmSync(debs, { recursive: true });
}

function librariesOf(packages) {
  const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`);
  const lines = run('apt-cache', ['depends', '--recurse', ...only, ...packages]).split('\n');
  const names = new Set(lines.filter((line) => /^lib/.test(line) && !NEVER_UNPACKED.test(line)));
  // Names that only others provide have no file.
  const known = run('apt-cache', ['policy', ...names]).matchAll(/^(\S+):\n.*\n {2}Candidate: \d/gm);
  return [...known].map(([, name]) => name);
}

function missingLibraries(folder, binaries) {
  const env = { ...process.env, LD_LIBRARY_PATH: libraryPath(folder) };
  const lines = binaries.flatMap((binary) => run('ldd', [join(folder, binary)], env).split('\n'));
  return [...new Set(lines.filter((line) => line.includes('not found')).map((line) => line.trim().split(' ')[0]))];
}

function run(command, args, env = process.env) {
  const result = spawnSync(command, args, { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.error) throw new ServiceMissing(`${command} does not run here (${result.error.code})`);
  if (result.status !== 0) throw new ServiceMissing(`${command} ${args[0]}: ${result.stderr.trim().split('\n')[0]}`);
  return result.stdout;
}
