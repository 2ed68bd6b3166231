import { frozenWorkerContract } from '../../frozen-worker.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('MariaDB', await startTestServer('mariadb'), (server) => {
  frozenWorkerContract({
    name: 'MariaDB',
    dialect: ['./dialects/mysql/dialect.ts', 'createMysqlDialect'],
    pool: ['./dialects/mysql/pool.ts', 'createMysqlPool'],
    async open() {
      const database = await createTestDatabase(server.url);
      const { ledger, close } = await openMysqlLedger({ url: database.url, maxConnections: 4 });
      return {
        ...{ url: database.url, ledger: patientLedger(ledger) },
        async close() {
          await close();
          await database.drop();
        },
      };
    },
  });
});
