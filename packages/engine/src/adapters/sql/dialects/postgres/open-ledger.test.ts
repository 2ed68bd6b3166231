import { ledgerContract } from '../../../../ports/ledger.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  ledgerContract({
    name: 'PostgreSQL',
    longestLife: 3,
    async open() {
      const database = await createTestDatabase(server.url);
      const { ledger, close } = await openPostgresLedger({ url: database.url, maxConnections: 8 });
      return {
        ledger: patientLedger(ledger),
        async close() {
          await close();
          await database.drop();
        },
      };
    },
  });
});
