import { everyLifeContract } from '../../every-life.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { createPostgresDialect } from './dialect.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createPostgresPool } from './pool.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  everyLifeContract({
    ...{ name: 'PostgreSQL', longest: 5 },
    async open() {
      const { url, drop } = await createTestDatabase(server.url);
      await (await openPostgresLedger({ url, maxConnections: 1 })).close();
      return { dialect: createPostgresDialect(createPostgresPool({ url, maxConnections: 1 })), drop };
    },
  });
});
