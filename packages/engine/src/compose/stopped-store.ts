/**
 * The ledger that the settings name, for commands that look at it or bring it to date. One in a data directory is theirs alone
 * meanwhile: they hold the lock that a deployment would. A database may be in use: it is read at one moment.
 */
import { connectMysql } from '../adapters/sql/dialects/mysql/open-ledger.ts';
import { connectPostgres } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { hasLock, holdDataDirectory, ledgerFileIn, readHolderPid } from '../adapters/sql/embedded/data-directory.ts';
import { hasLedger, openStoppedLedger } from '../adapters/sql/embedded/stopped-ledger.ts';
import { type InspectedLedger, inspectLedger } from '../adapters/sql/inspected-ledger.ts';
import type { Settings } from '../config/settings.ts';
import { Fault } from '../domain/fault.ts';
import { type BookDifference, compareBooks, type SaleBooks } from '../domain/reconciliation/compare-books.ts';
import { databaseDoesNotOpen, ledgerDoesNotOpen, sentenceOf } from './cannot-start.ts';
import { databaseAccess } from './database-access.ts';
import { databaseAddress, refuseLedgerElsewhere } from './ledger-address.ts';

export type { BookDifference };

/** A ledger that a command looks at. */
export interface InspectedStore {
  /** Its file; or the address of its database, without user and password. */
  readonly where: string;
  readonly ledger: InspectedLedger;
  /** What is damaged, as far as it can be told; a database is looked after by its server. */
  damage(): readonly string[];
  /** The sentence for what using it threw. */
  explain(error: unknown): unknown;
  close(): Promise<void>;
}

export type StoreSight =
  /** Nobody else has it. Whoever looked closes it. */
  | { readonly kind: 'open'; readonly store: InspectedStore }
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly by: number | null }
  /** With a sentence that says why and what to do. */
  | { readonly kind: 'broken'; readonly sentence: string };

type StoreSettings = Pick<Settings, 'databaseUrl' | 'dataDir'>;

/** Takes the store of the data directory when it can be had, and says why when not. Of a database's it has only the lock. */
export async function lookAtStore({ databaseUrl, dataDir }: StoreSettings): Promise<StoreSight> {
  try {
    if (databaseUrl !== undefined) {
      if (hasLock(dataDir)) (await holdDataDirectory(dataDir, { isLedgerElsewhere: true })).release();
      return { kind: 'none' };
    }
    const store = await openStoppedStore(dataDir);
    return store ? { kind: 'open', store } : { kind: 'none' };
  } catch (error) {
    if (error instanceof Fault && error.code === 'data_dir_held') return { kind: 'held', by: readHolderPid(dataDir) };
    const sentence = sentenceOf(error);
    if (sentence === null) throw error;
    return { kind: 'broken', sentence };
  }
}

export interface AuditedSale {
  readonly books: SaleBooks;
  readonly differences: readonly BookDifference[];
}

/**
 * The ledger that the settings name, as it is; null when the directory has none: nothing is made by looking. Throws
 * `data_dir_held` while something runs on the directory; a database may be in use.
 */
export async function openStore({ databaseUrl, dataDir }: StoreSettings): Promise<InspectedStore | null> {
  return databaseUrl === undefined ? openStoppedStore(dataDir) : connectStore(databaseUrl);
}

/** Likewise; makes what is not there. */
export async function holdStore({ databaseUrl, dataDir }: StoreSettings): Promise<InspectedStore> {
  return databaseUrl === undefined ? holdStoppedStore(dataDir) : connectStore(databaseUrl);
}

async function openStoppedStore(dataDir: string): Promise<InspectedStore | null> {
  refuseLedgerElsewhere(dataDir);
  return hasLedger(ledgerFileIn(dataDir)) ? holdStoppedStore(dataDir) : null;
}

async function holdStoppedStore(dataDir: string): Promise<InspectedStore> {
  refuseLedgerElsewhere(dataDir);
  const directory = await holdDataDirectory(dataDir);
  const where = directory.ledgerFile;
  try {
    const ledger = await openStoppedLedger(where);
    return {
      ...{ where, ledger, damage: ledger.damage, explain: (error) => ledgerDoesNotOpen(where, error) },
      async close() {
        await ledger.close();
        directory.release();
      },
    };
  } catch (error) {
    directory.release();
    throw ledgerDoesNotOpen(where, error);
  }
}

/** Nothing is asked of the server yet. */
function connectStore(url: string): InspectedStore {
  const options = { ...databaseAccess(url), maxConnections: 1 };
  const { db, dialect, close } = url.startsWith('postgres') ? connectPostgres(options) : connectMysql(options);
  const where = databaseAddress(url);
  const ledger = inspectLedger(db, dialect);
  return { where, ledger, damage: () => [], explain: (error) => databaseDoesNotOpen(where, error), close };
}

/** The steps of a schema that nobody has begun. */
export async function stepsOfNewLedger(): Promise<readonly string[]> {
  const ledger = await openStoppedLedger(':memory:');
  try {
    return await ledger.pendingMigrations();
  } finally {
    await ledger.close();
  }
}

/** Every sale's counters, held to its orders and its journal. */
export async function auditLedger(ledger: InspectedLedger): Promise<readonly AuditedSale[]> {
  return (await ledger.books()).map((books) => ({ books, differences: compareBooks(books) }));
}

export async function withStore<Store extends InspectedStore | null, Value>(
  opening: Promise<Store>,
  use: (store: Store) => Promise<Value>,
): Promise<Value> {
  const store = await opening;
  try {
    return await use(store);
  } catch (error) {
    throw store ? store.explain(error) : error;
  } finally {
    await store?.close();
  }
}
