/** Opens the ledger in a MariaDB database: brings it to our schema first. */
import { Kysely } from 'kysely';
import type { Ledger } from '../../../../ports/ledger.ts';
import type { SqlDialect } from '../../dialect.ts';
import { createSqlLedger } from '../../ledger.ts';
import { migrate } from '../../migrations/migrate.ts';
import type { LedgerDatabase, LedgerTables } from '../../schema.ts';
import { createMysqlDialect } from './dialect.ts';
import { faultOfMysql } from './faults.ts';
import { createMysqlPool, type PoolOptions } from './pool.ts';

export interface OpenMysql {
  readonly ledger: Ledger;
  readonly db: LedgerDatabase;
  readonly dialect: SqlDialect;
  close(): Promise<void>;
}

/** As it is, whatever its schema. Nothing is asked of the server yet. */
export function connectMysql(options: PoolOptions): Omit<OpenMysql, 'ledger'> {
  const dialect = createMysqlDialect(createMysqlPool(options));
  const db = new Kysely<LedgerTables>({ dialect: dialect.kysely });
  return { db, dialect, close: () => db.destroy() };
}

export async function openMysqlLedger(options: PoolOptions): Promise<OpenMysql> {
  const { db, dialect, close } = connectMysql(options);
  try {
    await migrate(db, dialect);
    return { ledger: createSqlLedger(db, dialect), db, dialect, close };
  } catch (error) {
    await close();
    throw faultOfMysql(error) ?? error;
  }
}
