/** Prepared statements by their text; the least recently used one goes when there are too many. */
import type { SqliteDatabase, SqliteStatement } from './library.ts';

/** The ledger has some 400 texts, most of them one for each size of a group; each statement takes a few kilobytes. */
const MAX_STATEMENTS = 512;

export function createStatementCache(database: SqliteDatabase): (text: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>();
  return (text) => {
    const known = statements.get(text);
    if (known) {
      statements.delete(text);
      statements.set(text, known);
      return known;
    }
    const statement = database.prepare(text);
    statements.set(text, statement);
    const [oldest] = statements.keys();
    if (statements.size > MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
    return statement;
  };
}
