/** Kinds of sale: what a sale offers and costs, the zone its window is meant in, and the points that its orders cost. */
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function saleKindsMigration({ idType, nameType, textType, unitsType, keyTableOptions }: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      const { schema } = db;
      const sales = () => schema.alterTable('sales');
      // Sales that are there were sold for whatever the back end asked, and are left as they were.
      await sales()
        .addColumn('kind', nameType, (column) => column.notNull().defaultTo('limited_skin'))
        .execute();
      await sales().addColumn('items', textType).execute();
      await sales().addColumn('price_amount', unitsType).execute();
      await sales().addColumn('price_currency', nameType).execute();
      await sales().addColumn('price_points', unitsType).execute();
      await sales()
        .addColumn('time_zone', nameType, (column) => column.notNull().defaultTo('UTC'))
        .execute();

      await schema
        .createTable('charges')
        .addColumn('order_id', idType, (column) => column.primaryKey().notNull().references('orders.order_id'))
        .addColumn('points', unitsType, (column) => column.notNull())
        .addColumn('state', nameType, (column) => column.notNull())
        .modifyEnd(keyTableOptions)
        .execute();
      await schema.createIndex('charges_by_state').on('charges').columns(['state', 'order_id']).execute();
    },
  };
}
