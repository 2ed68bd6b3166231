import { frozenWorkerContract } from '../../frozen-worker.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  frozenWorkerContract({
    name: 'PostgreSQL',
    dialect: ['./dialects/postgres/dialect.ts', 'createPostgresDialect'],
    pool: ['./dialects/postgres/pool.ts', 'createPostgresPool'],
    async open() {
      const database = await createTestDatabase(server.url);
      const { ledger, close } = await openPostgresLedger({ url: database.url, maxConnections: 4 });
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
