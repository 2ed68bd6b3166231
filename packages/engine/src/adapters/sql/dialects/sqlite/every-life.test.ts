import { everyLifeContract } from '../../every-life.contract.ts';
import { migrate } from '../../migrations/migrate.ts';
import { databaseOf, openDatabase } from './open-ledger.ts';

everyLifeContract({
  ...{ name: 'SQLite', longest: 6 },
  async open() {
    const { db, dialect } = databaseOf(await openDatabase(':memory:'));
    await migrate(db, dialect);
    return { dialect, drop: async () => {} };
  },
});
