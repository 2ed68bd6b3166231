/** Which ledger it is: the row that its tables were made with. */
import type { LedgerIdentity } from '../../ports/ledger-identity.ts';
import type { LedgerDatabase } from './schema.ts';

/** The one row of its table. */
export const LEDGER_ROW = 'ledger';

export function createSqlLedgerIdentity(db: LedgerDatabase): LedgerIdentity {
  return {
    async read() {
      const { id } = await db
        .selectFrom('ledger_identity')
        .select('id')
        .where('name', '=', LEDGER_ROW)
        .executeTakeFirstOrThrow();
      return id;
    },
  };
}
