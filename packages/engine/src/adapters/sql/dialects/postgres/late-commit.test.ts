import { lateCommitContract } from '../../late-commit.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  lateCommitContract(async () => {
    const database = await createTestDatabase(server.url);
    const { ledger, db, close } = await openPostgresLedger({ url: database.url, maxConnections: 4 });
    return {
      ...{ ledger: patientLedger(ledger), db },
      async close() {
        await close();
        await database.drop();
      },
    };
  });
});
