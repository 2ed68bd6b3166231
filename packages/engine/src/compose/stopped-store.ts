/**
 * An embedded deployment's store while nothing runs on it, for commands that look at it or bring it to date. It is theirs alone
 * meanwhile: they hold the lock that a deployment would.
 */
import { holdDataDirectory, ledgerFileIn, readHolderPid } from '../adapters/sql/embedded/data-directory.ts';
import { hasLedger, openStoppedLedger, type StoppedLedger } from '../adapters/sql/embedded/stopped-ledger.ts';
import { Fault } from '../domain/fault.ts';
import { type BookDifference, compareBooks, type SaleBooks } from '../domain/reconciliation/compare-books.ts';
import { ledgerDoesNotOpen, sentenceOf } from './cannot-start.ts';

export type { BookDifference };

export interface StoppedStore {
  readonly ledgerFile: string;
  readonly ledger: StoppedLedger;
  close(): Promise<void>;
}

export type StoreSight =
  /** Nobody else has it. Whoever looked closes it. */
  | { readonly kind: 'open'; readonly store: StoppedStore }
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly by: number | null }
  /** With a sentence that says why and what to do. */
  | { readonly kind: 'broken'; readonly sentence: string };

/** Takes the store when it can be had, and says why when not. */
export async function lookAtStore(dataDir: string): Promise<StoreSight> {
  try {
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

/** Null when the directory has no ledger: nothing is made by looking. Throws `data_dir_held` while something runs on it. */
export async function openStoppedStore(dataDir: string): Promise<StoppedStore | null> {
  return hasLedger(ledgerFileIn(dataDir)) ? holdStore(dataDir) : null;
}

/** Likewise; makes what is not there. */
export async function holdStore(dataDir: string): Promise<StoppedStore> {
  const directory = await holdDataDirectory(dataDir);
  try {
    const ledger = await openStoppedLedger(directory.ledgerFile);
    return {
      ...{ ledgerFile: directory.ledgerFile, ledger },
      async close() {
        await ledger.close();
        directory.release();
      },
    };
  } catch (error) {
    directory.release();
    throw ledgerDoesNotOpen(directory.ledgerFile, error);
  }
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
export async function auditLedger(ledger: StoppedLedger): Promise<readonly AuditedSale[]> {
  return (await ledger.books()).map((books) => ({ books, differences: compareBooks(books) }));
}

export async function withStore<Store extends StoppedStore | null, Value>(
  opening: Promise<Store>,
  use: (store: Store) => Promise<Value>,
): Promise<Value> {
  const store = await opening;
  try {
    return await use(store);
  } catch (error) {
    throw store ? ledgerDoesNotOpen(store.ledgerFile, error) : error;
  } finally {
    await store?.close();
  }
}
