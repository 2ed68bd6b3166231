/** Opens the ledger of one SQLite file on the calling thread, which it blocks while it works. */
import { Kysely } from 'kysely';
import type { Ledger } from '../../../../ports/ledger.ts';
import type { SqlDialect } from '../../dialect.ts';
import { createSqlLedger } from '../../ledger.ts';
import { migrate } from '../../migrations/migrate.ts';
import type { LedgerDatabase, LedgerTables } from '../../schema.ts';
import { createSqliteDialect } from './dialect.ts';
import { faultOfSqlite } from './faults.ts';
import { loadSqlite, type SqliteDatabase } from './library.ts';

/** How long to wait for another connection; there is none but in the first moments after a crash. */
const BUSY_TIMEOUT_MS = 2000;

/** As long as the indexes fit, no page is read twice. */
const CACHE_KIB = 65_536;
/** 64 MB of log: pages that change again and again are written back once. A restart after a crash reads as much. */
const CHECKPOINT_PAGES = 16_384;

export interface OpenLedger {
  readonly ledger: Ledger;
  /** On Node 20 the file stays locked until the thread ends: the package does not end its prepared statements. */
  close(): Promise<void>;
}

export async function openSqliteLedger(file: string): Promise<OpenLedger> {
  let database: SqliteDatabase | undefined;
  try {
    database = await openDatabase(file);
    return await ledgerOn(database);
  } catch (error) {
    database?.close();
    throw faultOfSqlite(error) ?? error;
  }
}

export async function openDatabase(file: string): Promise<SqliteDatabase> {
  const { DatabaseSync } = await loadSqlite();
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  setUp(database);
  return database;
}

/** Brings the database to our schema first. */
export async function ledgerOn(database: SqliteDatabase): Promise<OpenLedger> {
  const { db, dialect } = databaseOf(database);
  await migrate(db, dialect);
  return { ledger: createSqlLedger(db, dialect), close: () => db.destroy() };
}

/** As it is, whatever its schema. */
export function databaseOf(database: SqliteDatabase): {
  readonly db: LedgerDatabase;
  readonly dialect: SqlDialect;
} {
  const dialect = createSqliteDialect(database);
  return { db: new Kysely<LedgerTables>({ dialect: dialect.kysely }), dialect };
}

function setUp(database: SqliteDatabase): void {
  // One connection and no other: nothing shares the file, so no checkpoint of somebody else's can lose what was written
  // (SQLite before 3.51.3). It must come before the first use of the log.
  database.exec('pragma locking_mode = exclusive');
  database.exec('pragma journal_mode = wal');
  // What is committed is on the disk, not only on its way there.
  database.exec('pragma synchronous = full');
  database.exec('pragma foreign_keys = on');
  database.exec(`pragma cache_size = -${CACHE_KIB}`);
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}
