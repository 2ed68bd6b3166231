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
import { idempotencyMigration } from './0004-idempotency.ts';
import { saleKindsMigration } from './0005-sale-kinds.ts';
import { returnsMigration } from './0006-returns.ts';
import { leasesMigration } from './0007-leases.ts';
import { outboxMigration } from './0008-outbox.ts';
import { webhooksMigration } from './0009-webhooks.ts';
import { limitGroupsMigration } from './0010-limit-groups.ts';
import { eventPaymentsMigration } from './0011-event-payments.ts';
import { segmentsMigration } from './0012-segments.ts';
import { ledgerIdentityMigration } from './0013-ledger-identity.ts';
import { referencesTogetherMigration } from './0014-references-together.ts';

const TABLE = 'ledger_migrations';
const LOCK_TABLE = 'ledger_migration_lock';

/** By name, in the order in which they run; a name is never changed. */
function migrationsFor(dialect: SqlDialect): Record<string, Migration> {
  return {
    '0001-ledger': ledgerMigration(dialect),
    '0002-order-life': orderLifeMigration(dialect),
    '0003-deliveries': deliveriesMigration(dialect),
    '0004-idempotency': idempotencyMigration(dialect),
    '0005-sale-kinds': saleKindsMigration(dialect),
    '0006-returns': returnsMigration(dialect),
    '0007-leases': leasesMigration(dialect),
    '0008-outbox': outboxMigration(dialect),
    '0009-webhooks': webhooksMigration(dialect),
    '0010-limit-groups': limitGroupsMigration(dialect),
    '0011-event-payments': eventPaymentsMigration(dialect),
    '0012-segments': segmentsMigration(dialect),
    '0013-ledger-identity': ledgerIdentityMigration(dialect),
    '0014-references-together': referencesTogetherMigration(dialect),
  };
}

/** The steps that a database has yet to take, in their order. Throws `ledger_newer` for one that has taken others. */
export async function pendingMigrations(db: LedgerDatabase, dialect: SqlDialect): Promise<readonly string[]> {
  const known = Object.keys(migrationsFor(dialect));
  const applied = await appliedNames(db);
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Fault(
      'ledger_newer',
      `The ledger was written by a newer version of Sluice (unknown here: ${unknown.join(', ')}). Start that version.`,
    );
  }
  return known.filter((name) => !applied.includes(name));
}

/** Answers which steps it took. */
export async function migrate(db: LedgerDatabase, dialect: SqlDialect): Promise<readonly string[]> {
  const { migrationLock } = dialect;
  if (!migrationLock) return migrateOn(db, dialect, {});
  return db.transaction().execute(async (trx) => {
    for (const statement of migrationLock) await statement.execute(trx);
    // The migrator asks for a connection of its own. It gets this one, which has the lock, and a session lock is not needed.
    Object.defineProperty(trx, 'connection', {
      value: () => ({ execute: (work: (db: unknown) => unknown) => work(trx) }),
    });
    return migrateOn(trx, dialect, { disableTransactions: true });
  });
}

async function migrateOn(
  db: LedgerDatabase,
  dialect: SqlDialect,
  options: { readonly disableTransactions?: true },
): Promise<readonly string[]> {
  const pending = await pendingMigrations(db, dialect);
  const migrations = migrationsFor(dialect);
  const migrator = new Migrator({
    ...{ db, provider: { getMigrations: async () => migrations } },
    ...{ migrationTableName: TABLE, migrationLockTableName: LOCK_TABLE },
    // A step that came into the program after a later one had been taken is taken then; no step needs one with a higher number.
    allowUnorderedMigrations: true,
    ...options,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return pending;
  const broken = results.find(({ status }) => status === 'Error');
  if (broken && !dialect.undoesSchemaChanges) throw halfMigrated(broken.migrationName, error);
  throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
}

function halfMigrated(step: string, error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault(
    'ledger_half_migrated',
    `Step ${step} of the schema did not come to its end, now or before: ${reason}`,
    error,
  );
}

async function appliedNames(db: LedgerDatabase): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(db);
  return rows.map((row) => row.name);
}
