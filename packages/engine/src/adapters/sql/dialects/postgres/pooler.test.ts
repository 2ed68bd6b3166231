/** Through pgbouncer in transaction mode: every transaction may get another session, so nothing may live in one. */
import { crowdContract } from '../../crowd.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer, type TestServer } from '../../test-server.contract.ts';
import { type OpenPostgres, openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

const server = await startTestServer('postgres');
const pooler: TestServer =
  server.kind === 'ready' ? await startTestServer('pgbouncer', { before: new URL(server.url).port }) : server;

describeWithServer('PostgreSQL behind pgbouncer', pooler, ({ url }) => {
  crowdContract({
    name: 'PostgreSQL (pgbouncer)',
    async open() {
      if (server.kind === 'missing') throw new Error(server.reason);
      const database = await createTestDatabase(server.url);
      const through = new URL(database.url);
      through.port = new URL(url).port;
      const opened: OpenPostgres[] = [];
      return {
        async connect() {
          const one = await openPostgresLedger({ url: through.href, maxConnections: 2 });
          opened.push(one);
          return patientLedger(one.ledger);
        },
        async close() {
          for (const { close } of opened) await close();
          await database.drop();
        },
      };
    },
  });
});
