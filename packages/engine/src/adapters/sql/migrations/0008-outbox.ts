/** The outbox: which events have been handed out, and events of sales beside those of orders. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function outboxMigration(dialect: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await markOrderEvents(db, dialect);
      await createSaleEvents(db, dialect);
      for (const column of ['is_told_sold_out', 'is_told_unbalanced']) {
        await db.schema
          .alterTable('sales')
          .addColumn(column, dialect.unitsType, (added) => added.notNull().defaultTo(0))
          .execute();
      }
      // A row to lock: who has it hands out.
      await db.insertInto('leases').values({ name: 'outbox', holder: '', expires_at_ms: 0 }).execute();
    },
  };
}

async function markOrderEvents(db: Kysely<LedgerTables>, dialect: SqlDialect) {
  await db.schema.alterTable('order_events').addColumn('handed_out_at_ms', dialect.unitsType).execute();
  // What happened before there was anybody to tell is told to nobody.
  await db
    .updateTable('order_events')
    .set((eb) => ({ handed_out_at_ms: eb.ref('at_ms') }))
    .execute();
  await indexWaiting(db, dialect, 'order_events');
}

/** The index of what waits is as short as the outbox, where an index may have rows of its choice only. */
async function indexWaiting(
  db: Kysely<LedgerTables>,
  { hasPartialIndexes }: SqlDialect,
  table: 'order_events' | 'sale_events',
) {
  const index = db.schema.createIndex(`${table}_waiting`).on(table);
  if (hasPartialIndexes) await index.column('id').where(sql.ref('handed_out_at_ms'), 'is', null).execute();
  else await index.columns(['handed_out_at_ms', 'id']).execute();
}

async function createSaleEvents(db: Kysely<LedgerTables>, dialect: SqlDialect) {
  const { nameType, textType, unitsType, tableOptions, countUp } = dialect;
  await db.schema
    .createTable('sale_events')
    .addColumn('id', unitsType, countUp)
    .addColumn('sale_id', nameType, (column) => column.notNull().references('sales.id'))
    .addColumn('type', textType, (column) => column.notNull())
    .addColumn('state', textType, (column) => column.notNull())
    .addColumn('total_units', unitsType, (column) => column.notNull())
    .addColumn('surplus_units', unitsType)
    .addColumn('at_ms', unitsType, (column) => column.notNull())
    .addColumn('handed_out_at_ms', unitsType)
    .modifyEnd(tableOptions)
    .execute();
  await indexWaiting(db, dialect, 'sale_events');
}
