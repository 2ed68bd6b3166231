/** Units that go back to the centre, stock that is withdrawn, and what a release to the centre is. */
import type { Kysely, Migration } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function returnsMigration(dialect: SqlDialect): Migration {
  const { nameType, unitsType } = dialect;
  return {
    async up(db: Kysely<LedgerTables>) {
      await createReturns(db, dialect);
      await createWithdrawals(db, dialect);
      await db.schema
        .alterTable('releases')
        .addColumn('destination', nameType, (column) => column.notNull().defaultTo('quota'))
        .execute();
      await db.schema
        .alterTable('sales')
        .addColumn('generation', unitsType, (column) => column.notNull().defaultTo(0))
        .execute();
    },
  };
}

async function createReturns(db: Kysely<LedgerTables>, { nameType, claimIdType, unitsType, tableOptions }: SqlDialect) {
  const quota = ['sale_id', 'region', 'segment', 'channel'] as const;
  await db.schema
    .createTable('returns')
    .addColumn('id', claimIdType, (column) => column.primaryKey().notNull())
    .addColumn('sale_id', nameType, (column) => column.notNull())
    .addColumn('region', nameType, (column) => column.notNull())
    .addColumn('segment', unitsType, (column) => column.notNull())
    .addColumn('channel', nameType, (column) => column.notNull())
    .addColumn('wanted_units', unitsType)
    .addColumn('epoch', unitsType, (column) => column.notNull())
    .addColumn('state', nameType, (column) => column.notNull())
    .addColumn('units', unitsType)
    .addForeignKeyConstraint('return_from_quota', [...quota], 'quotas', [...quota])
    .addCheckConstraint('return_wants_units', sql`wanted_units > 0`)
    .addCheckConstraint('return_brings_units', sql`units >= 0 and (wanted_units is null or units <= wanted_units)`)
    .addCheckConstraint('return_finishes_with_figure', sql`(state = 'finished') = (units is not null)`)
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('returns_by_state').on('returns').columns(['sale_id', 'state']).execute();
}

async function createWithdrawals(
  db: Kysely<LedgerTables>,
  { idType, nameType, claimIdType, unitsType, tableOptions }: SqlDialect,
) {
  await db.schema
    .createTable('withdrawals')
    .addColumn('id', claimIdType, (column) => column.primaryKey().notNull())
    .addColumn('sale_id', nameType, (column) => column.notNull().references('sales.id'))
    .addColumn('delivery', idType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addColumn('state', nameType, (column) => column.notNull())
    .addCheckConstraint('withdrawal_has_units', sql`units > 0`)
    .modifyEnd(tableOptions)
    .execute();
  await db.schema.createIndex('withdrawals_by_state').on('withdrawals').columns(['sale_id', 'state']).execute();
}
