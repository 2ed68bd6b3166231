/** Which ledger this is: an id that no other one has, for what is kept of it elsewhere. */
import { randomUUID } from 'node:crypto';
import type { Kysely, Migration } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import { LEDGER_ROW } from '../ledger-identity.ts';
import type { LedgerTables } from '../schema.ts';

/** Enough that no two ledgers meet, and short: it is in the name of each key. */
const ID_LENGTH = 12;

export function ledgerIdentityMigration({ nameType, tableOptions }: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      await db.schema
        .createTable('ledger_identity')
        .addColumn('name', nameType, (column) => column.primaryKey().notNull())
        .addColumn('id', nameType, (column) => column.notNull())
        .modifyEnd(tableOptions)
        .execute();
      const id = randomUUID().replaceAll('-', '').slice(0, ID_LENGTH);
      await db.insertInto('ledger_identity').values({ name: LEDGER_ROW, id }).execute();
    },
  };
}
