/** What every part of the SQL ledger works with. */
import type { SqlDialect } from './dialect.ts';
import type { LedgerDatabase } from './schema.ts';
import type { Statements } from './statements.ts';

export interface SqlContext {
  readonly db: LedgerDatabase;
  readonly dialect: SqlDialect;
  readonly statements: Statements;
}
