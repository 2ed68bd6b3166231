/** Segments: how many parts a sale has, and returns that go on to another of them. */
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function segmentsMigration({ unitsType }: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      // Sales that are there have one.
      await db.schema
        .alterTable('sales')
        .addColumn('segments', unitsType, (column) => column.notNull().defaultTo(1))
        .execute();
      await db.schema.alterTable('returns').addColumn('onward_to', unitsType).execute();
    },
  };
}
