/** Webhooks: endpoints, and what is on its way to them. No foreign key between: see outbox-turn. */
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function webhooksMigration(dialect: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await createEndpoints(db, dialect);
      await createDeliveries(db, dialect);
    },
  };
}

async function createEndpoints(db: Kysely<LedgerTables>, { nameType, textType, unitsType, tableOptions }: SqlDialect) {
  await db.schema
    .createTable('webhook_endpoints')
    .addColumn('id', nameType, (column) => column.primaryKey().notNull())
    .addColumn('url', textType, (column) => column.notNull())
    .addColumn('event_types', textType)
    .addColumn('secret', textType, (column) => column.notNull())
    .addColumn('old_secret', textType)
    .addColumn('old_until_ms', unitsType)
    .addColumn('created_at_ms', unitsType, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
}

async function createDeliveries(db: Kysely<LedgerTables>, dialect: SqlDialect) {
  const { idType, nameType, textType, unitsType, tableOptions, countUp, indexHasKey } = dialect;
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', unitsType, countUp)
    .addColumn('endpoint_id', nameType, (column) => column.notNull())
    .addColumn('subject', idType, (column) => column.notNull())
    .addColumn('source', nameType, (column) => column.notNull())
    .addColumn('event_number', unitsType, (column) => column.notNull())
    .addColumn('state', nameType, (column) => column.notNull())
    .addColumn('failures', unitsType, (column) => column.notNull())
    .addColumn('created_at_ms', unitsType, (column) => column.notNull())
    .addColumn('next_at_ms', unitsType, (column) => column.notNull())
    .addColumn('claim_id', textType)
    .addColumn('error', textType)
    .modifyEnd(tableOptions)
    .execute();
  const index = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on('webhook_deliveries')
      .columns([...columns])
      .execute();
  const key = indexHasKey ? [] : ['id'];
  await index('webhook_deliveries_by_state', ['state', ...key]);
  await index('webhook_deliveries_due', ['endpoint_id', 'state', 'next_at_ms']);
  await index('webhook_deliveries_by_subject', ['endpoint_id', 'subject', ...key]);
}
