import { crowdContract } from '../../crowd.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { type OpenMysql, openMysqlLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('MariaDB', await startTestServer('mariadb'), (server) => {
  crowdContract({
    name: 'MariaDB',
    async open() {
      const database = await createTestDatabase(server.url);
      const opened: OpenMysql[] = [];
      return {
        async connect(isPatient = true) {
          const one = await openMysqlLedger({ url: database.url, maxConnections: 2 });
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
