import { everyLifeContract } from '../../every-life.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { createMysqlDialect } from './dialect.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createMysqlPool } from './pool.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('MariaDB', await startTestServer('mariadb'), (server) => {
  everyLifeContract({
    ...{ name: 'MariaDB', longest: 6 },
    async open() {
      const { url, drop } = await createTestDatabase(server.url);
      await (await openMysqlLedger({ url, maxConnections: 1 })).close();
      return { dialect: createMysqlDialect(createMysqlPool({ url, maxConnections: 1 })), drop };
    },
  });
});
