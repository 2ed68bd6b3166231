import { crowdContract } from '../../crowd.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { type OpenPostgres, openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  crowdContract({
    name: 'PostgreSQL',
    async open() {
      const database = await createTestDatabase(server.url);
      const opened: OpenPostgres[] = [];
      return {
        async connect(isPatient = true) {
          const one = await openPostgresLedger({ url: database.url, maxConnections: 2 });
          opened.push(one);
          return isPatient ? patientLedger(one.ledger) : one.ledger;
        },
        async close() {
          for (const { close } of opened) await close();
          await database.drop();
        },
      };
    },
  });
});
