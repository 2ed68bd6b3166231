/** PostgreSQL: many writers, so rows are locked; ids compare byte by byte by the collation of their columns. */
import { type DialectAdapter, PostgresAdapter, PostgresDialect, type PostgresPool, sql } from 'kysely';
import type { SqlDialect } from '../../dialect.ts';
import { faultOfPostgres } from './faults.ts';
import { POSTGRES_REFERENCES } from './references.ts';
import { POSTGRES_TRIGGERS } from './triggers.ts';

/** Compared byte by byte, of any length. */
const ID = sql`text collate "C"`;

/** Numbers that nobody else in the database should use; advisory locks have no other names. */
const LATCH = 5_318_008_460n;
const MIGRATION_LOCK = 5_318_008_461n;

/** As long as an index over millions of rows may take. */
const MIGRATION_TIMEOUT_MS = 3_600_000;

export function createPostgresDialect(pool: PostgresPool): SqlDialect {
  return {
    name: 'postgres',
    kysely: new PooledDialect({ pool }),
    idType: ID,
    nameType: ID,
    claimIdType: ID,
    textType: 'text',
    unitsType: 'bigint',
    countUp: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
    tableOptions: sql``,
    keyTableOptions: sql``,
    indexHasKey: false,
    hasPartialIndexes: true,
    triggers: POSTGRES_TRIGGERS,
    references: POSTGRES_REFERENCES,
    nowMs: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    upsert: 'on conflict',
    bindsLists: true,
    locksRows: true,
    latch: {
      shared: sql`select pg_advisory_xact_lock_shared(${sql.lit(LATCH)})`,
      exclusive: sql`select pg_advisory_xact_lock(${sql.lit(LATCH)})`,
    },
    migrationLock: [
      sql`select set_config('lock_timeout', ${sql.lit(String(MIGRATION_TIMEOUT_MS))}, true)`,
      sql`select set_config('statement_timeout', ${sql.lit(String(MIGRATION_TIMEOUT_MS))}, true)`,
      sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`,
    ],
    undoesSchemaChanges: true,
    faultOf: faultOfPostgres,
  };
}

class PooledDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new PooledAdapter();
  }
}

/** Kysely's own lock belongs to a session, which a pooler does not keep; `migrationLock` belongs to the transaction. */
class PooledAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
