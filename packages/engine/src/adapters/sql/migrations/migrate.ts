/**
 * Brings a database to the schema that this program knows: forward only, each step once. A database that has a step which
 * this program does not know was written by a newer one, and is left alone.
 */
import { type Migration, Migrator, sql } from 'kysely';
import { Fault } from '../../../domain/fault.ts';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerDatabase } from '../schema.ts';
import { ledgerMigration } from './0001-ledger.ts';
import { orderLifeMigration } from './0002-order-life.ts';
import { deliveriesMigration } from './0003-deliveries.ts';
import { returnsMigration } from './0006-returns.ts';

const TABLE = 'ledger_migrations';
const LOCK_TABLE = 'ledger_migration_lock';

/** By name, in the order in which they run; a name is never changed. */
function migrationsFor(dialect: SqlDialect): Record<string, Migration> {
  return {
    '0001-ledger': ledgerMigration(dialect),
    '0002-order-life': orderLifeMigration(dialect),
    '0003-deliveries': deliveriesMigration(dialect),
    '0006-returns': returnsMigration(dialect),
  };
}

export async function migrate(db: LedgerDatabase, dialect: SqlDialect): Promise<void> {
  const migrations = migrationsFor(dialect);
  const unknown = (await appliedNames(db)).filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) {
    throw new Fault(
      'ledger_newer',
      `The ledger was written by a newer version of Sluice (unknown here: ${unknown.join(', ')}). Start that version.`,
    );
  }
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: TABLE,
    migrationLockTableName: LOCK_TABLE,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
}

async function appliedNames(db: LedgerDatabase): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(db);
  return rows.map((row) => row.name);
}
