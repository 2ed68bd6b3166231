import { patientLedger } from '../../patient-ledger.contract.ts';
import { rebuiltContract } from '../../rebuilt.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('MariaDB', await startTestServer('mariadb'), (server) => {
  rebuiltContract({
    name: 'MariaDB',
    async open() {
      const database = await createTestDatabase(server.url);
      const { ledger, db, close } = await openMysqlLedger({ url: database.url, maxConnections: 8 });
      return {
        ...{ ledger: patientLedger(ledger), db, run: database.run },
        async dropGuards() {
          const triggers = await database.run(
            'select trigger_name as name from information_schema.triggers where trigger_schema = database()',
          );
          for (const { name } of triggers as { name: string }[]) await database.run(`drop trigger ${name}`);
        },
        async close() {
          await close();
          await database.drop();
        },
      };
    },
  });
});
