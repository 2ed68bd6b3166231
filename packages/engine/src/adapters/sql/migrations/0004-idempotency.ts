/** Calls with an idempotency key, and their first answers. */
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function idempotencyMigration({
  nameType,
  claimIdType,
  textType,
  unitsType,
  tableOptions,
}: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await db.schema
        .createTable('idempotency_keys')
        .addColumn('id', claimIdType, (column) => column.notNull().primaryKey())
        .addColumn('scope', claimIdType, (column) => column.notNull())
        .addColumn('fingerprint', textType, (column) => column.notNull())
        .addColumn('holder', textType, (column) => column.notNull())
        .addColumn('reserved_at_ms', unitsType, (column) => column.notNull())
        .addColumn('status', unitsType)
        .addColumn('media_type', nameType)
        .addColumn('language', nameType)
        .addColumn('body', textType)
        .modifyEnd(tableOptions)
        .execute();
      await db.schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('reserved_at_ms').execute();
      await db.schema
        .createIndex('idempotency_keys_by_scope')
        .on('idempotency_keys')
        .columns(['scope', 'reserved_at_ms'])
        .execute();
    },
  };
}
