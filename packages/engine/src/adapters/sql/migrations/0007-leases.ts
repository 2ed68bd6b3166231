/** Leases: what one process at a time may do, for as long as it says so again and again. */
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function leasesMigration({ nameType, textType, unitsType, tableOptions }: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await db.schema
        .createTable('leases')
        .addColumn('name', nameType, (column) => column.primaryKey().notNull())
        .addColumn('holder', textType, (column) => column.notNull())
        .addColumn('expires_at_ms', unitsType, (column) => column.notNull())
        .modifyEnd(tableOptions)
        .execute();
      // A row to lock, where a latch is one: nobody's lease.
      await db.insertInto('leases').values({ name: 'latch', holder: '', expires_at_ms: 0 }).execute();
    },
  };
}
