/**
 * Limit groups: buyers are counted by limit scope, which is a sale, or a group of sales that share one limit. The law that no
 * buyer has more than the limit stays in the row, and now holds over all sales of a group.
 */
import type { Kysely, Migration } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function limitGroupsMigration(dialect: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      // Sales that are there have a limit of their own.
      await db.schema.alterTable('sales').addColumn('limit_group', dialect.nameType).execute();
      await createScopes(db, dialect);
      await createScopedBuyers(db, dialect);
    },
  };
}

async function createScopes(db: Kysely<LedgerTables>, { nameType, unitsType, tableOptions }: SqlDialect) {
  await db.schema
    .createTable('limit_scopes')
    .addColumn('name', nameType, (column) => column.primaryKey().notNull())
    .addColumn('limit_units', unitsType, (column) => column.notNull())
    .addColumn('segment_count', unitsType, (column) => column.notNull())
    .addColumn('sale_count', unitsType, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  await sql`insert into limit_scopes (name, limit_units, segment_count, sale_count)
    select id, limit_units, (select count(distinct segment) from segments where sale_id = sales.id), 1
    from sales`.execute(db);
}

/** A new table in place of the old one: SQLite cannot take a foreign key off. */
async function createScopedBuyers(
  db: Kysely<LedgerTables>,
  { idType, nameType, unitsType, keyTableOptions }: SqlDialect,
) {
  await db.schema
    .createTable('scoped_buyers')
    .addColumn('limit_scope', nameType, (column) => column.notNull())
    .addColumn('buyer_id', idType, (column) => column.notNull())
    .addColumn('limit_units', unitsType, (column) => column.notNull())
    .addColumn('units', unitsType, (column) => column.notNull())
    .addPrimaryKeyConstraint('buyer_of_scope_key', ['limit_scope', 'buyer_id'])
    .addForeignKeyConstraint('buyer_of_scope', ['limit_scope'], 'limit_scopes', ['name'])
    .addCheckConstraint('scoped_buyer_within_limit', sql`units <= limit_units`)
    .addCheckConstraint('scoped_buyer_units_not_negative', sql`units >= 0`)
    .modifyEnd(keyTableOptions)
    .execute();
  await sql`insert into scoped_buyers (limit_scope, buyer_id, limit_units, units)
    select sale_id, buyer_id, limit_units, units from buyers`.execute(db);
  await db.schema.dropTable('buyers').execute();
  await db.schema.alterTable('scoped_buyers').renameTo('buyers').execute();
}
