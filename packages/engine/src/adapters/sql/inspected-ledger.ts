/** A ledger as it is, for whoever looks at it or brings it to date: its schema is not brought to date by opening it. */
import type { SaleBooks } from '../../domain/reconciliation/compare-books.ts';
import type { RebuiltSale } from '../../domain/reconciliation/compare-rebuilt.ts';
import type { SqlDialect } from './dialect.ts';
import { createSqlLedgerIdentity } from './ledger-identity.ts';
import { migrate, pendingMigrations } from './migrations/migrate.ts';
import { readBooks } from './read-books.ts';
import { readRebuilt } from './read-rebuilt.ts';
import type { LedgerDatabase } from './schema.ts';

export interface InspectedLedger {
  /** Steps that its schema has yet to take. Throws `ledger_newer`. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Takes them, and says which they were. */
  migrate(): Promise<readonly string[]>;
  /** Which ledger it is. Needs a schema of today. */
  id(): Promise<string>;
  /** By the clock that wrote it, milliseconds since 1970; null when nothing was sold yet. Needs a schema of today. */
  lastWrittenAtMs(): Promise<number | null>;
  /** At one moment, also while others write. Needs a schema of today. */
  books(): Promise<readonly SaleBooks[]>;
  /** Likewise. */
  rebuilt(): Promise<readonly RebuiltSale[]>;
}

export function inspectLedger(db: LedgerDatabase, dialect: SqlDialect): InspectedLedger {
  const withFaults = async <Value>(action: () => Promise<Value>): Promise<Value> => {
    try {
      return await action();
    } catch (error) {
      throw dialect.faultOf(error) ?? error;
    }
  };
  return {
    pendingMigrations: () => withFaults(() => pendingMigrations(db, dialect)),
    migrate: () => withFaults(() => migrate(db, dialect)),
    id: () => withFaults(() => createSqlLedgerIdentity(db).read()),
    lastWrittenAtMs: () =>
      withFaults(async () => {
        const { atMs } = await db
          .selectFrom('order_events')
          .select((eb) => eb.fn.max('at_ms').as('atMs'))
          .executeTakeFirstOrThrow();
        return atMs;
      }),
    books: () => withFaults(() => readBooks(db)),
    rebuilt: () => withFaults(() => readRebuilt(db)),
  };
}
