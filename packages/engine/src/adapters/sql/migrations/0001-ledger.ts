/**
 * The ledger. Law 1 is in the schema: no quota has more held, sold and quarantined than it was allotted, no sale allots
 * more than it has, no buyer has more than the limit, no order exists twice.
 */
import { type Kysely, type Migration, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function ledgerMigration(dialect: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await createSales(db, dialect);
      await createSegments(db, dialect);
      await createQuotas(db, dialect);
      await createBuyers(db, dialect);
      await createOrders(db, dialect);
      await createMoves(db, dialect);
      await createReleases(db, dialect);
      await createQuarantine(db, dialect);
      await createJournal(db, dialect);
      for (const statement of dialect.triggers) await sql.raw(statement).execute(db);
    },
  };
}

async function createSales(db: Kysely<LedgerTables>, { nameType, textType, unitsType, tableOptions }: SqlDialect) {
  await db.schema
    .createTable('sales')
    .addColumn('id', nameType, (column) => column.primaryKey().notNull())
    .addColumn('title', textType, (column) => column.notNull())
    .addColumn('total_units', unitsType, (column) => column.notNull())
    .addColumn('free_units', unitsType, (column) => column.notNull())
    .addColumn('allotted_units', unitsType, (column) => column.notNull())
    .addColumn('limit_units', unitsType, (column) => column.notNull())
    .addColumn('starts_at_ms', unitsType, (column) => column.notNull())
    .addColumn('ends_at_ms', unitsType, (column) => column.notNull())
    .addColumn('hold_ms', unitsType, (column) => column.notNull())
    .addColumn('state', nameType, (column) => column.notNull())
    .addColumn('version', unitsType, (column) => column.notNull())
    .addCheckConstraint('sale_units_are_conserved', sql`free_units + allotted_units = total_units`)
    .addCheckConstraint('sale_units_not_negative', sql`free_units >= 0 and allotted_units >= 0`)
    .modifyEnd(tableOptions)
    .execute();
}

async function createSegments(db: Kysely<LedgerTables>, { nameType, unitsType, keyTableOptions }: SqlDialect) {
  await db.schema
    .createTable('segments')
    .addColumn('sale_id', nameType, (column) => column.notNull().references('sales.id'))
    .addColumn('region', nameType, (column) => column.notNull())
    .addColumn('segment', unitsType, (column) => column.notNull())
    .addColumn('epoch', unitsType, (column) => column.notNull())
    .addColumn('settled_epoch', unitsType, (column) => column.notNull())
    .addColumn('settled_seq', unitsType, (column) => column.notNull())
    .addPrimaryKeyConstraint('segment_key', ['sale_id', 'region', 'segment'])
    .modifyEnd(keyTableOptions)
    .execute();
  await db.schema
    .createTable('cuts')
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('region', nameType, (column) => column.notNull())
    .addColumn('segment', unitsType, (column) => column.notNull())
    .addColumn('epoch', unitsType, (column) => column.notNull())
    .addColumn('through_epoch', unitsType, (column) => column.notNull())
    .addColumn('through_seq', unitsType, (column) => column.notNull())
    .addPrimaryKeyConstraint('cut_key', ['sale_id', 'region', 'segment', 'epoch'])
    .addForeignKeyConstraint('cut_of_segment', ['sale_id', 'region', 'segment'], 'segments', [
      'sale_id',
      'region',
      'segment',
    ])
    .modifyEnd(keyTableOptions)
    .execute();
}

async function createQuotas(db: Kysely<LedgerTables>, { nameType, unitsType, keyTableOptions }: SqlDialect) {
  await db.schema
    .createTable('quotas')
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('region', nameType, (column) => column.notNull())
    .addColumn('segment', unitsType, (column) => column.notNull())
    .addColumn('channel', nameType, (column) => column.notNull())
    .addColumn('allotted_units', unitsType, (column) => column.notNull())
    .addColumn('held_units', unitsType, (column) => column.notNull())
    .addColumn('sold_units', unitsType, (column) => column.notNull())
    .addColumn('quarantined_units', unitsType, (column) => column.notNull())
    .addPrimaryKeyConstraint('quota_key', ['sale_id', 'region', 'segment', 'channel'])
    .addForeignKeyConstraint('quota_of_segment', ['sale_id', 'region', 'segment'], 'segments', [
      'sale_id',
      'region',
      'segment',
    ])
    .addCheckConstraint('quota_not_oversold', sql`held_units + sold_units + quarantined_units <= allotted_units`)
    .addCheckConstraint('quota_units_not_negative', sql`held_units >= 0 and sold_units >= 0 and quarantined_units >= 0`)
    .modifyEnd(keyTableOptions)
    .execute();
}

async function createBuyers(db: Kysely<LedgerTables>, { idType, nameType, unitsType, keyTableOptions }: SqlDialect) {
  await db.schema
    .createTable('buyers')
    .addColumn('sale_id', nameType, (column) => column.notNull().references('sales.id'))
    .addColumn('buyer_id', idType, (column) => column.notNull())
    .addColumn('limit_units', unitsType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addPrimaryKeyConstraint('buyer_key', ['sale_id', 'buyer_id'])
    .addCheckConstraint('buyer_within_limit', sql`units <= limit_units`)
    .addCheckConstraint('buyer_units_not_negative', sql`units >= 0`)
    .modifyEnd(keyTableOptions)
    .execute();
}

async function createOrders(db: Kysely<LedgerTables>, dialect: SqlDialect) {
  const { idType, nameType, textType, unitsType, tableOptions } = dialect;
  await db.schema
    .createTable('orders')
    .addColumn('order_id', idType, (column) => column.primaryKey().notNull())
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('buyer_id', idType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addColumn('region', nameType, (column) => column.notNull())
    .addColumn('segment', unitsType, (column) => column.notNull())
    .addColumn('channel', nameType, (column) => column.notNull())
    .addColumn('epoch', unitsType, (column) => column.notNull())
    .addColumn('seq', unitsType, (column) => column.notNull())
    .addColumn('state', nameType, (column) => column.notNull())
    .addColumn('refusal', textType)
    .addColumn('settled_at_ms', unitsType, (column) => column.notNull())
    .addColumn('due_at_ms', unitsType)
    .addForeignKeyConstraint('order_of_segment', ['sale_id', 'region', 'segment'], 'segments', [
      'sale_id',
      'region',
      'segment',
    ])
    .addUniqueConstraint('order_position', ['sale_id', 'region', 'segment', 'epoch', 'seq'])
    .addCheckConstraint('order_has_units', sql`units > 0`)
    .modifyEnd(tableOptions)
    .execute();
}

async function createMoves(db: Kysely<LedgerTables>, { nameType, claimIdType, unitsType, tableOptions }: SqlDialect) {
  const quota = ['sale_id', 'region', 'segment', 'channel'] as const;
  await db.schema
    .createTable('moves')
    .addColumn('id', claimIdType, (column) => column.primaryKey().notNull())
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('region', nameType, (column) => column.notNull())
    .addColumn('segment', unitsType, (column) => column.notNull())
    .addColumn('channel', nameType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addColumn('epoch', unitsType, (column) => column.notNull())
    .addColumn('state', nameType, (column) => column.notNull())
    .addForeignKeyConstraint('move_to_quota', [...quota], 'quotas', [...quota])
    .addCheckConstraint('move_has_units', sql`units > 0`)
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('moves_by_state').on('moves').columns(['sale_id', 'state']).execute();
}

async function createReleases(
  db: Kysely<LedgerTables>,
  { idType, nameType, claimIdType, unitsType, tableOptions }: SqlDialect,
) {
  await db.schema
    .createTable('releases')
    .addColumn('id', claimIdType, (column) => column.primaryKey().notNull())
    .addColumn('order_id', idType, (column) => column.notNull().references('orders.order_id'))
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('buyer_id', idType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addColumn('region', nameType, (column) => column.notNull())
    .addColumn('segment', unitsType, (column) => column.notNull())
    .addColumn('channel', nameType, (column) => column.notNull())
    .addColumn('epoch', unitsType, (column) => column.notNull())
    .addColumn('seq', unitsType, (column) => column.notNull())
    .addColumn('release_epoch', unitsType, (column) => column.notNull())
    .addColumn('state', nameType, (column) => column.notNull())
    .addForeignKeyConstraint('release_of_segment', ['sale_id', 'region', 'segment'], 'segments', [
      'sale_id',
      'region',
      'segment',
    ])
    .addCheckConstraint('release_has_units', sql`units > 0`)
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('releases_by_state').on('releases').columns(['sale_id', 'state']).execute();
}

/** No foreign keys, and the claim as text: what cannot be settled may name a sale that does not exist, or no whole units. */
async function createQuarantine(
  db: Kysely<LedgerTables>,
  { nameType, claimIdType, textType, unitsType, tableOptions }: SqlDialect,
) {
  await db.schema
    .createTable('quarantine')
    .addColumn('id', claimIdType, (column) => column.primaryKey().notNull())
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('claim', textType, (column) => column.notNull())
    .addColumn('quarantined_units', unitsType, (column) => column.notNull())
    .addColumn('reason', textType, (column) => column.notNull())
    .addCheckConstraint('quarantine_units_not_negative', sql`quarantined_units >= 0`)
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('quarantine_by_sale').on('quarantine').column('sale_id').execute();
}

async function createJournal(db: Kysely<LedgerTables>, dialect: SqlDialect) {
  const { nameType, claimIdType, textType, unitsType, tableOptions, countUp } = dialect;
  await db.schema
    .createTable('journal')
    .addColumn('id', unitsType, countUp)
    .addColumn('sale_id', nameType, (column) => column.notNull().references('sales.id'))
    .addColumn('region', nameType)
    .addColumn('segment', unitsType)
    .addColumn('channel', nameType)
    .addColumn('from_account', textType, (column) => column.notNull())
    .addColumn('to_account', textType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addColumn('cause', textType, (column) => column.notNull())
    .addColumn('cause_id', claimIdType, (column) => column.notNull())
    .addCheckConstraint('entry_has_units', sql`units > 0`)
    .addCheckConstraint('entry_goes_elsewhere', sql`from_account <> to_account`)
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('journal_by_sale').on('journal').columns(['sale_id', 'id']).execute();
}
