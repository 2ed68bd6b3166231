/** Through pgbouncer in transaction mode: every transaction may get another session, so nothing may live in one. */
import { ledgerContract } from '../../../../ports/ledger.contract.ts';
import { crowdContract } from '../../crowd.contract.ts';
import { lateCommitContract } from '../../late-commit.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer, type TestServer } from '../../test-server.contract.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

const server = await startTestServer('postgres');
const pooler: TestServer =
  server.kind === 'ready' ? await startTestServer('pgbouncer', { before: new URL(server.url).port }) : server;

/** A database of its own; each connection to it has a pool of its own. */
async function openBehind(poolerUrl: string) {
  if (server.kind === 'missing') throw new Error(server.reason);
  const database = await createTestDatabase(server.url);
  const url = new URL(database.url);
  url.port = new URL(poolerUrl).port;
  const closes: (() => Promise<void>)[] = [];
  return {
    async connect(maxConnections = 2) {
      const { ledger, db, close } = await openPostgresLedger({ url: url.href, maxConnections });
      closes.push(close);
      return { ledger: patientLedger(ledger), db };
    },
    async close() {
      for (const close of closes) await close();
      await database.drop();
    },
  };
}

describeWithServer('PostgreSQL behind pgbouncer', pooler, ({ url }) => {
  ledgerContract({
    ...{ name: 'PostgreSQL (pgbouncer)', longestLife: 3 },
    async open() {
      const { connect, close } = await openBehind(url);
      const { ledger } = await connect(8);
      return { ledger, close };
    },
  });

  crowdContract({
    name: 'PostgreSQL (pgbouncer)',
    async open() {
      const { connect, close } = await openBehind(url);
      return { connect: async () => (await connect()).ledger, close };
    },
  });

  lateCommitContract(async () => {
    const { connect, close } = await openBehind(url);
    return { ...(await connect(4)), close };
  });
});
