import { createSqlLedger } from '../../ledger.ts';
import { migrate } from '../../migrations/migrate.ts';
import { rebuiltContract } from '../../rebuilt.contract.ts';
import { databaseOf, openDatabase } from './open-ledger.ts';

rebuiltContract({
  name: 'SQLite',
  async open() {
    const database = await openDatabase(':memory:');
    const { db, dialect } = databaseOf(database);
    await migrate(db, dialect);
    return {
      ...{ ledger: createSqlLedger(db, dialect), db, close: () => db.destroy() },
      run: async (text) => database.exec(text),
      async dropGuards() {
        for (const { name } of database.prepare(`select name from sqlite_master where type = 'trigger'`).all())
          database.exec(`drop trigger ${String(name)}`);
      },
    };
  },
});
