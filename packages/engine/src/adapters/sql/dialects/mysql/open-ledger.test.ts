import { expect, test } from 'vitest';
import { explainedLedgerContract } from '../../explained-ledger.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { schemaContract } from '../../schema.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { createMysqlDialect } from './dialect.ts';
import { faultOfMysql } from './faults.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createMysqlPool } from './pool.ts';
import { createTestDatabase } from './test-database.contract.ts';

interface PlanRow {
  readonly table: string | null;
  readonly type: string | null;
  readonly rows: number | null;
}

/** An index that is read in its order may end early; `rows` is how far it is thought to be read. */
const FEW_ROWS = 1_000;

describeWithServer('MariaDB', await startTestServer('mariadb'), (server) => {
  schemaContract({
    name: 'MariaDB',
    async open() {
      const database = await createTestDatabase(server.url);
      const { ledger, close } = await openMysqlLedger({ url: database.url, maxConnections: 8 });
      return {
        ...{ ledger: patientLedger(ledger), run: database.run, faultOf: faultOfMysql },
        async close() {
          await close();
          await database.drop();
        },
      };
    },
  });

  explainedLedgerContract({
    ...{ name: 'MariaDB', longestLife: 3 },
    explain: 'explain',
    scannedBy: (rows) =>
      (rows as readonly PlanRow[])
        .filter(({ type, rows: read }) => type === 'ALL' || (type === 'index' && Number(read) > FEW_ROWS))
        .flatMap(({ table }) => table ?? []),
    patient: patientLedger,
    async open() {
      const database = await createTestDatabase(server.url);
      return {
        dialect: createMysqlDialect(createMysqlPool({ url: database.url, maxConnections: 8 })),
        async analyse() {
          const tables = await database.run('show tables');
          const names = tables.flatMap((row) => Object.values(row as Record<string, string>));
          await database.run(`analyze table ${names.join(', ')}`);
        },
        drop: () => database.drop(),
      };
    },
  });

  test('a step of the schema that was broken off is told as such, at each start', async () => {
    const database = await createTestDatabase(server.url);
    // What a process leaves that is killed while it makes the tables.
    await database.run('create table sales (id int)');
    for (let start = 0; start < 2; start++) {
      await expect(openMysqlLedger({ url: database.url, maxConnections: 2 })).rejects.toMatchObject({
        code: 'ledger_half_migrated',
        message: expect.stringMatching(/^Step 0001-ledger .*'sales' already exists/),
      });
    }
    await database.drop();
  });
});
