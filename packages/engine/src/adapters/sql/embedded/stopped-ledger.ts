/**
 * The ledger of a data directory on which nothing runs, as it is: its schema is not brought to date by opening it. Whoever
 * opens it holds the directory's lock as long.
 */
import { existsSync } from 'node:fs';
import { faultOfSqlite } from '../dialects/sqlite/faults.ts';
import type { SqliteDatabase } from '../dialects/sqlite/library.ts';
import { databaseOf, openDatabase } from '../dialects/sqlite/open-ledger.ts';
import { type InspectedLedger, inspectLedger } from '../inspected-ledger.ts';

export interface StoppedLedger extends InspectedLedger {
  /** What SQLite finds damaged; empty when nothing is. */
  damage(): readonly string[];
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
  return { ...inspectLedger(db, dialect), damage: () => damageIn(database), close: () => db.destroy() };
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
