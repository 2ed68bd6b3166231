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

export async function openMysqlLedger(options: PoolOptions): Promise<OpenMysql> {
  const dialect = createMysqlDialect(createMysqlPool(options));
  const db = new Kysely<LedgerTables>({ dialect: dialect.kysely });
  try {
    await migrate(db, dialect);
    return { ledger: createSqlLedger(db, dialect), db, dialect, close: () => db.destroy() };
  } catch (error) {
    await db.destroy();
    throw faultOfMysql(error) ?? error;
  }
}
