/** Kysely over node:sqlite's API: one connection, prepared statements kept, migrations in a transaction. */
import {
  type DatabaseConnection,
  type DialectAdapter,
  type SqliteDatabase as KyselyDatabase,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import type { SqliteDatabase } from './library.ts';
import { createStatementCache } from './statement-cache.ts';

const READS = /^\s*(?:select|values|with|pragma|explain)\b|\breturning\b/i;

export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: KyselyDatabase;

  constructor(database: SqliteDatabase) {
    const asKyselyWants = adapt(database);
    super({ database: asKyselyWants });
    this.#database = asKyselyWants;
  }

  override createDriver(): SqliteDriver {
    return new NodeSqliteDriver({ database: this.#database });
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalAdapter();
  }
}

class NodeSqliteDriver extends SqliteDriver {
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      // A full disk has rolled it back already; its own error is the one to be told.
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
    }
  }
}

/** SQLite's schema changes are transactional: a migration that was killed half way has not begun. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function adapt(database: SqliteDatabase): KyselyDatabase {
  const prepare = createStatementCache(database);
  return {
    close: () => database.close(),
    prepare(text) {
      const statement = prepare(text);
      return {
        reader: READS.test(text),
        all: (parameters) => statement.all(...parameters),
        run: (parameters) => statement.run(...parameters),
        iterate: (parameters) => statement.iterate(...parameters),
      };
    },
  };
}
