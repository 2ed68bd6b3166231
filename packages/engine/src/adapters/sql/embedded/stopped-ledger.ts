/**
 * The ledger of a data directory on which nothing runs, as it is: its schema is not brought to date by opening it. Whoever
 * opens it holds the directory's lock as long.
 */
import { existsSync } from 'node:fs';
import type { SaleBooks } from '../../../domain/reconciliation/compare-books.ts';
import type { RebuiltSale } from '../../../domain/reconciliation/compare-rebuilt.ts';
import { faultOfSqlite } from '../dialects/sqlite/faults.ts';
import type { SqliteDatabase } from '../dialects/sqlite/library.ts';
import { databaseOf, openDatabase } from '../dialects/sqlite/open-ledger.ts';
import { migrate, pendingMigrations } from '../migrations/migrate.ts';
import { readBooks } from '../read-books.ts';
import { readRebuilt } from '../read-rebuilt.ts';

export interface StoppedLedger {
  /** Steps that its schema has yet to take. Throws `ledger_newer`. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Takes them, and says which they were. */
  migrate(): Promise<readonly string[]>;
  /** What SQLite finds damaged; empty when nothing is. */
  damage(): readonly string[];
  /** By the clock that wrote it, milliseconds since 1970; null when nothing was sold yet. Needs a schema of today. */
  lastWrittenAtMs(): Promise<number | null>;
  /** Needs a schema of today. */
  books(): Promise<readonly SaleBooks[]>;
  /** Likewise. */
  rebuilt(): Promise<readonly RebuiltSale[]>;
  /** The system gives the file back when the process ends: see OpenLedger. */
  close(): Promise<void>;
}

export async function openStoppedLedger(file: string): Promise<StoppedLedger> {
  let database: SqliteDatabase | undefined;
  try {
    database = await openDatabase(file);
    return ledgerOf(database);
  } catch (error) {
    database?.close();
    throw faultOfSqlite(error) ?? error;
  }
}

/** Whether there is one: an empty file is a ledger that nobody wrote yet. */
export function hasLedger(file: string): boolean {
  return existsSync(file);
}

function ledgerOf(database: SqliteDatabase): StoppedLedger {
  const { db, dialect } = databaseOf(database);
  return {
    pendingMigrations: () => withFaults(() => pendingMigrations(db, dialect)),
    migrate: () => withFaults(() => migrate(db, dialect)),
    damage: () => damageIn(database),
    lastWrittenAtMs: () =>
      withFaults(async () => {
        const { atMs } = await db
          .selectFrom('order_events')
          .select((eb) => eb.fn.max('at_ms').as('atMs'))
          .executeTakeFirstOrThrow();
        return atMs;
      }),
    books: () => withFaults(() => readBooks(db)),
    rebuilt: () => withFaults(() => readRebuilt(db)),
    close: () => db.destroy(),
  };
}

function damageIn(database: SqliteDatabase): readonly string[] {
  try {
    const rows = database.prepare('pragma quick_check').all();
    return rows.map((row) => String(row.quick_check)).filter((finding) => finding !== 'ok');
  } catch (error) {
    // What is damaged badly enough cannot be checked.
    const fault = faultOfSqlite(error);
    if (fault) return [fault.message];
    throw error;
  }
}

async function withFaults<Value>(action: () => Promise<Value>): Promise<Value> {
  try {
    return await action();
  } catch (error) {
    throw faultOfSqlite(error) ?? error;
  }
}
