/** References that a database looks up for a whole statement, where its foreign keys ask for each row. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import type { LedgerTables } from '../schema.ts';

export function referencesTogetherMigration({ references }: SqlDialect): Migration {
  return {
    async up(db: Kysely<LedgerTables>) {
      for (const statement of references) await sql.raw(statement).execute(db);
    },
  };
}
