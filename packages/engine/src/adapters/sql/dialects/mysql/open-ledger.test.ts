import { ledgerContract } from '../../../../ports/ledger.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { schemaContract } from '../../schema.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { faultOfMysql } from './faults.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('MariaDB', await startTestServer('mariadb'), (server) => {
  const open = async () => {
    const database = await createTestDatabase(server.url);
    const { ledger, close } = await openMysqlLedger({ url: database.url, maxConnections: 8 });
    return {
      ledger: patientLedger(ledger),
      run: database.run,
      faultOf: faultOfMysql,
      async close() {
        await close();
        await database.drop();
      },
    };
  };

  schemaContract({ name: 'MariaDB', open });
  ledgerContract({ name: 'MariaDB', longestLife: 3, open });
});
