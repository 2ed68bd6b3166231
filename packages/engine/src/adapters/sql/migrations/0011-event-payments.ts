/** Events of money say which: the payment's reference, and its amount. Events that are there say neither. */
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function eventPaymentsMigration({ idType, unitsType }: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await db.schema.alterTable('order_events').addColumn('reference', idType).execute();
      await db.schema.alterTable('order_events').addColumn('amount', unitsType).execute();
    },
  };
}
