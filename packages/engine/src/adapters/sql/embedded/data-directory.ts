/**
 * The data directory: everything that an embedded deployment keeps. One process holds it at a time.
 *
 * The lock is an exclusive transaction on a little database of its own: the system ends it with the process, also when
 * that is killed, so nobody has to clear a stale one away. It must not be the ledger itself, which a worker opens.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../../../domain/fault.ts';
import { faultOfSqlite } from '../dialects/sqlite/faults.ts';
import { loadSqlite, type SqliteDatabase } from '../dialects/sqlite/library.ts';

const LOCK_FILE = 'lock.db';
/** Tells whom to ask; nothing depends on it. */
const HOLDER_FILE = 'holder.pid';
const LEDGER_FILE = 'ledger.db';
/** Also where the directory itself was made by somebody else and lets others in. */
const OWNER_ONLY = 0o600;
/** A predecessor that is being stopped may still be on its way out. */
const LOCK_WAIT_MS = 500;

/** A lock that nobody names would be closed by the garbage collector, and so be given up behind our back. */
const heldLocks = new Set<SqliteDatabase>();

export interface DataDirectory {
  /** Absolute. */
  readonly path: string;
  readonly ledgerFile: string;
  /** Gives the directory up; close the ledger first. */
  release(): void;
}

/** Where a data directory keeps its ledger. */
export function ledgerFileIn(directory: string): string {
  return join(resolve(directory), LEDGER_FILE);
}

/** Whether anything ever ran on it: looking makes no lock. */
export function hasLock(directory: string): boolean {
  return existsSync(join(resolve(directory), LOCK_FILE));
}

/** The process that said it holds the directory; null when none did. It may be gone: only the lock itself is proof. */
export function readHolderPid(directory: string): number | null {
  const pid = Number(readHolder(resolve(directory)));
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

/** `isLedgerElsewhere`: no file is made for one. */
export async function holdDataDirectory(
  directory: string,
  { isLedgerElsewhere = false }: { readonly isLedgerElsewhere?: boolean } = {},
): Promise<DataDirectory> {
  const path = resolve(directory);
  create(path, isLedgerElsewhere ? [LOCK_FILE] : [LOCK_FILE, LEDGER_FILE]);
  const lock = await takeLock(path);
  nameHolder(path);
  return {
    path,
    ledgerFile: join(path, LEDGER_FILE),
    release() {
      rmSync(join(path, HOLDER_FILE), { force: true });
      heldLocks.delete(lock);
      lock.close();
    },
  };
}

/** Level by level: Node 20's recursive way never ends where the system says that the parent is not there, as in /proc. */
function create(path: string, files: readonly string[]): void {
  try {
    const missing: string[] = [];
    for (let at = path; !statSync(at, { throwIfNoEntry: false }); at = dirname(at)) missing.push(at);
    // It holds buyer ids and keys: nobody else's business.
    for (const level of missing.reverse()) createLevel(level);
    for (const name of files) createPrivateFile(join(path, name));
  } catch (error) {
    throw unusable(path, error);
  }
}

function createLevel(level: string): void {
  try {
    mkdirSync(level, { mode: 0o700 });
  } catch (error) {
    // Somebody else was faster; if it is no directory, the next step says so.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** SQLite opens an empty file as a new database, and gives its journals the mode of the file that they belong to. */
function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', OWNER_ONLY));
}

async function takeLock(path: string): Promise<SqliteDatabase> {
  const { DatabaseSync } = await loadSqlite();
  let lock: SqliteDatabase | undefined;
  try {
    lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: LOCK_WAIT_MS });
    lock.exec('begin exclusive');
    heldLocks.add(lock);
    return lock;
  } catch (error) {
    lock?.close();
    const code = faultOfSqlite(error)?.code;
    if (code === 'ledger_unavailable') throw held(path, error);
    throw code === 'storage_unusable' && isFileOf(path) ? brokenLock(path, error) : unusable(path, error);
  }
}

function nameHolder(path: string): void {
  try {
    writeFileSync(join(path, HOLDER_FILE), `${process.pid}\n`, { mode: OWNER_ONLY });
  } catch {
    // A full disk is for the ledger to report; the lock holds without a name.
  }
}

function held(path: string, cause: unknown): Fault {
  const pid = readHolder(path);
  let holder = 'another process';
  if (pid !== null) holder = pid === String(process.pid) ? 'this process already' : `process ${pid}`;
  return new Fault(
    'data_dir_held',
    `The data directory ${path} is held by ${holder}. Stop that one first, or use another data directory.`,
    cause,
  );
}

/** Told apart from a directory that this user may not write. */
function isFileOf(path: string): boolean {
  try {
    closeSync(openSync(join(path, LOCK_FILE), 'r+'));
    return true;
  } catch {
    return false;
  }
}

function brokenLock(path: string, cause: unknown): Fault {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Fault(
    'storage_unusable',
    `The lock ${join(path, LOCK_FILE)} is no longer one (${why}). It holds nothing else: when no Sluice runs on this directory, remove it, and a new one is made.`,
    cause,
  );
}

function readHolder(path: string): string | null {
  try {
    return readFileSync(join(path, HOLDER_FILE), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function unusable(path: string, cause: unknown): Fault {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Fault(
    'storage_unusable',
    `The data directory ${path} cannot be used (${why}). Make it a directory that this user may write, or use another.`,
    cause,
  );
}
