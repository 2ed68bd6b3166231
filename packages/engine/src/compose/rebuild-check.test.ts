/** The check over databases that are in use; what it finds there is in the adapters' own tests. */
import { expect, test } from 'vitest';
import { openMysqlLedger } from '../adapters/sql/dialects/mysql/open-ledger.ts';
import { createTestDatabase as createMariadb } from '../adapters/sql/dialects/mysql/test-database.contract.ts';
import { openPostgresLedger } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { createTestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { newClaim, openSale } from '../ports/ledger-fixture.contract.ts';
import { rebuildCheck } from './rebuild-check.ts';

const TAMPER = `update buyers set units = 2 where buyer_id = 'buyer-1'`;
const FOUND = [{ differences: [{ counter: 'buyer buyer-1', against: 'journal', recorded: 2, counted: 1 }] }];

describeWithServer('a rebuild check of PostgreSQL', await startTestServer('postgres'), (server) => {
  test('reads the database of the settings, and no older schema than its own', async () => {
    const database = await createTestDatabase(server.url);
    const settings = { databaseUrl: database.url, dataDir: 'nowhere' };
    await expect(rebuildCheck(settings)).rejects.toThrow('older version');
    const { ledger, close } = await openPostgresLedger({ url: database.url, maxConnections: 2 });
    const saleId = await openSale(ledger);
    await ledger.settlement.settle([newClaim(saleId, 1)]);
    expect(await rebuildCheck(settings)).toMatchObject([{ sale: { saleId }, differences: [] }]);
    await database.query(TAMPER);
    expect(await rebuildCheck(settings)).toMatchObject(FOUND);
    await close();
    await database.drop();
    await expect(rebuildCheck(settings)).rejects.toThrow('cannot be opened');
  });
});

describeWithServer('a rebuild check of MariaDB', await startTestServer('mariadb'), (server) => {
  test('reads the database of the settings', async () => {
    const database = await createMariadb(server.url);
    const settings = { databaseUrl: database.url, dataDir: 'nowhere' };
    const { ledger, close } = await openMysqlLedger({ url: database.url, maxConnections: 2 });
    const saleId = await openSale(ledger);
    await ledger.settlement.settle([newClaim(saleId, 1)]);
    expect(await rebuildCheck(settings)).toMatchObject([{ sale: { saleId }, differences: [] }]);
    await database.run(TAMPER);
    expect(await rebuildCheck(settings)).toMatchObject(FOUND);
    await close();
    await database.drop();
  });
});
