/** Opens the ledger in a PostgreSQL database: brings it to our schema first. */
import { Kysely } from 'kysely';
import type { Ledger } from '../../../../ports/ledger.ts';
import type { SqlDialect } from '../../dialect.ts';
import { createSqlLedger } from '../../ledger.ts';
import { migrate } from '../../migrations/migrate.ts';
import type { LedgerDatabase, LedgerTables } from '../../schema.ts';
import { createPostgresDialect } from './dialect.ts';
import { faultOfPostgres } from './faults.ts';
import { createPostgresPool, type PoolOptions } from './pool.ts';

export interface OpenPostgres {
  readonly ledger: Ledger;
  readonly db: LedgerDatabase;
  readonly dialect: SqlDialect;
  close(): Promise<void>;
}

/** As it is, whatever its schema. Nothing is asked of the server yet. */
export function connectPostgres(options: PoolOptions): Omit<OpenPostgres, 'ledger'> {
  const dialect = createPostgresDialect(createPostgresPool(options));
  const db = new Kysely<LedgerTables>({ dialect: dialect.kysely });
  return { db, dialect, close: () => db.destroy() };
}

export async function openPostgresLedger(options: PoolOptions): Promise<OpenPostgres> {
  const { db, dialect, close } = connectPostgres(options);
  try {
    await migrate(db, dialect);
    return { ledger: createSqlLedger(db, dialect), db, dialect, close };
  } catch (error) {
    await close();
    throw faultOfPostgres(error) ?? error;
  }
}
