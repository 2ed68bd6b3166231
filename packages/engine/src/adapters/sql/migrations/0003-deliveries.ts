/** Stock that arrives while a sale lives: each delivery once. */
import type { Kysely, Migration } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function deliveriesMigration({ idType, nameType, unitsType, keyTableOptions }: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await db.schema
        .createTable('deliveries')
        .addColumn('sale_id', nameType, (column) => column.notNull().references('sales.id'))
        .addColumn('id', idType, (column) => column.notNull())
        .addColumn('units', unitsType, (column) => column.notNull())
        .addPrimaryKeyConstraint('delivery_key', ['sale_id', 'id'])
        .addCheckConstraint('delivery_has_units', sql`units > 0`)
        .modifyEnd(keyTableOptions)
        .execute();
    },
  };
}
