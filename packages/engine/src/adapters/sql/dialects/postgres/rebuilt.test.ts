import { patientLedger } from '../../patient-ledger.contract.ts';
import { rebuiltContract } from '../../rebuilt.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  rebuiltContract({
    name: 'PostgreSQL',
    async open() {
      const database = await createTestDatabase(server.url);
      const { ledger, db, close } = await openPostgresLedger({ url: database.url, maxConnections: 8 });
      return {
        ...{ ledger: patientLedger(ledger), db, run: database.query },
        async dropGuards() {
          for (const table of ['sales', 'quotas', 'journal'])
            await database.query(`alter table ${table} disable trigger user`);
        },
        async close() {
          await close();
          await database.drop();
        },
      };
    },
  });
});
