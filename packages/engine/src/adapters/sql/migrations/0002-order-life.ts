/** What happens to orders after settlement: their events, payments, wishes to cancel that came early, and how to find them. */
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function orderLifeMigration(dialect: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await createOrderEvents(db, dialect);
      await createPayments(db, dialect);
      await createParkedCancels(db, dialect);
      await indexOrders(db, dialect);
    },
  };
}

async function createOrderEvents(db: Kysely<LedgerTables>, dialect: SqlDialect) {
  const { idType, nameType, textType, unitsType, tableOptions, countUp } = dialect;
  await db.schema
    .createTable('order_events')
    .addColumn('id', unitsType, countUp)
    .addColumn('order_id', idType, (column) => column.notNull().references('orders.order_id'))
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('buyer_id', idType, (column) => column.notNull())
    .addColumn('type', textType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addColumn('state', textType, (column) => column.notNull())
    .addColumn('at_ms', unitsType, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('order_events_by_order').on('order_events').columns(['order_id', 'id']).execute();
}

/** No foreign key: money may come before its order, or for one that never comes. */
async function createPayments(db: Kysely<LedgerTables>, dialect: SqlDialect) {
  const { idType, nameType, unitsType, tableOptions, countUp } = dialect;
  await db.schema
    .createTable('payments')
    .addColumn('id', unitsType, countUp)
    .addColumn('reference', idType, (column) => column.notNull())
    .addColumn('outcome', nameType, (column) => column.notNull())
    .addColumn('order_id', idType, (column) => column.notNull())
    .addColumn('amount', unitsType)
    .addColumn('state', nameType, (column) => column.notNull())
    .addUniqueConstraint('payment_once', ['reference', 'outcome'])
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('payments_by_order').on('payments').columns(['order_id', 'id']).execute();
  await db.schema.createIndex('payments_by_state').on('payments').columns(['state', 'id']).execute();
}

async function createParkedCancels(db: Kysely<LedgerTables>, { idType, keyTableOptions }: SqlDialect) {
  await db.schema
    .createTable('parked_cancels')
    .addColumn('order_id', idType, (column) => column.primaryKey().notNull())
    .addColumn('buyer_id', idType)
    .modifyEnd(keyTableOptions)
    .execute();
}

async function indexOrders(db: Kysely<LedgerTables>, { indexHasKey }: SqlDialect) {
  const index = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on('orders')
      .columns([...columns])
      .execute();
  await index('orders_due', ['state', 'due_at_ms']);
  const key = indexHasKey ? [] : ['order_id'];
  await index('orders_by_sale', ['sale_id', 'settled_at_ms', ...key]);
  await index('orders_by_buyer', ['buyer_id', 'settled_at_ms', ...key]);
}
