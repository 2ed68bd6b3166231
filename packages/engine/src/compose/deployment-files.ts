/**
 * The files of an embedded deployment beside its ledger: where it can be reached, and the keys it generated. Commands on the
 * same machine read them, and so need no addresses and keys of their own.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { writePrivateFile } from './write-private-file.ts';

export interface Endpoint {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
}

export interface StoredKeys {
  readonly jwtKey?: string;
  readonly adminKey?: string;
  readonly serverKey?: string;
  /** As in the configuration: `id:secret`. */
  readonly tokenKeys?: readonly string[];
}

/** Null: nothing runs there, or its files are of another program. */
export function readEndpoint(dataDir: string): Endpoint | null {
  const content = onDisk(dataDir, 'read', () => readJson(join(dataDir, ENDPOINT_FILE)));
  if (content === null) return null;
  const { url, adminUrl, pid } = content as Partial<Endpoint>;
  if (typeof url !== 'string' || typeof adminUrl !== 'string' || typeof pid !== 'number') return null;
  return { url, adminUrl, pid };
}

/** Whether a process of this number runs: perhaps another one, when the number was given again. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function writeEndpoint(dataDir: string, endpoint: Endpoint): void {
  onDisk(dataDir, 'written', () => writePrivateFile(join(dataDir, ENDPOINT_FILE), jsonText(endpoint)));
}

export function removeEndpoint(dataDir: string): void {
  rmSync(join(dataDir, ENDPOINT_FILE), { force: true });
}

/** Empty when there are none. */
export function readKeys(dataDir: string): StoredKeys {
  const content = onDisk(dataDir, 'read', () => readJson(join(dataDir, KEYS_FILE)));
  return content ?? {};
}

export function writeKeys(dataDir: string, keys: StoredKeys): void {
  onDisk(dataDir, 'written', () => writePrivateFile(join(dataDir, KEYS_FILE), jsonText(keys)));
}

export function hasKeys(dataDir: string): boolean {
  return existsSync(keysFile(dataDir));
}

export function keysFile(dataDir: string): string {
  return join(dataDir, KEYS_FILE);
}

/** Which database has the ledger of this directory's deployment; null when it is here, or none was ever made. */
export function readLedgerAddress(dataDir: string): string | null {
  const content = onDisk(dataDir, 'read', () => readJson(join(dataDir, LEDGER_ADDRESS_FILE)));
  if (content === null) return null;
  const { database } = content as { readonly database?: unknown };
  if (typeof database === 'string') return database;
  const file = ledgerAddressFile(dataDir);
  throw new Fault('storage_unusable', `${file} names no database. Restore it: it says where the ledger is.`);
}

export function ledgerAddressFile(dataDir: string): string {
  return join(dataDir, LEDGER_ADDRESS_FILE);
}

/** `address`: without user and password. */
export function writeLedgerAddress(dataDir: string, address: string): void {
  const text = jsonText({ database: address });
  onDisk(dataDir, 'written', () => writePrivateFile(join(dataDir, LEDGER_ADDRESS_FILE), text));
}

/** Whether somebody changed the mode of the keys, so that they may be nobody's secret any more. */
export function areKeysOpen(dataDir: string): boolean {
  // Windows has no such modes, and shows 0666.
  return process.platform !== 'win32' && isOpenToOthers(join(dataDir, KEYS_FILE));
}

/** Whether nobody but the owner can read what is in it; false when the system does not say. */
export function isPrivate(dataDir: string): boolean {
  if (!isOpenToOthers(dataDir)) return true;
  return readdirSync(dataDir).every((name) => !isOpenToOthers(join(dataDir, name)));
}

function isOpenToOthers(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}

const ENDPOINT_FILE = 'endpoint.json';
const KEYS_FILE = 'keys.json';
const LEDGER_ADDRESS_FILE = 'ledger.json';
/** Whoever writes next says what is wrong with a directory that cannot be. */
const NOT_THERE = new Set<string | undefined>(['ENOENT', 'ENOTDIR']);

function readJson(file: string): object | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
  } catch {
    // Told below; the parser's own words would quote the keys.
  }
  throw new Fault(
    'storage_unusable',
    `${file} is not a JSON object. Restore it, or move it away to have a new one made.`,
  );
}

/** Does what it is given to do, and tells a disk that will not as a fault with a sentence. */
function onDisk<Value>(dataDir: string, what: string, action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw diskFault(dataDir, what, error);
  }
}

function diskFault(dataDir: string, what: string, error: unknown): Fault {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Fault(
      'storage_full',
      `The disk of the data directory ${dataDir} is full. Make room, or choose another with --data-dir.`,
      error,
    );
  }
  const sentence = `The data directory ${dataDir} cannot be ${what} (${code}). Give this user the right to, or choose another with --data-dir.`;
  return new Fault('storage_unusable', sentence, error);
}

function jsonText(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
