import { expect, test } from 'vitest';
import { newClaim, openSale } from '../../../../ports/ledger-fixture.contract.ts';
import { QUOTA, schemaContract } from '../../schema.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { faultOfPostgres } from './faults.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  const open = async () => {
    const database = await createTestDatabase(server.url);
    const { ledger, close } = await openPostgresLedger({ url: database.url, maxConnections: 2 });
    return {
      ledger,
      run: async (text: string) => (await database.query(text)).rows as readonly unknown[],
      faultOf: faultOfPostgres,
      async close() {
        await close();
        await database.drop();
      },
    };
  };

  schemaContract({
    ...{ name: 'PostgreSQL', open },
    refused: {
      // A bare 0.5 is rounded, and whole again.
      'sell half a unit': `update quotas set sold_units = '0.5' ${QUOTA}`,
      'truncate the journal': 'truncate journal cascade',
    },
  });

  test('a settlement leaves the sale’s row alone', async () => {
    const { ledger, run, close } = await open();
    const saleId = await openSale(ledger);
    const version = () => run(`select xmin::text from sales where id = '${saleId}'`);
    const before = await version();
    await ledger.settlement.settle([newClaim(saleId, 1)]);
    expect(await version()).toEqual(before);
    await close();
  });

  test('ids compare byte by byte, whatever the database’s language', async () => {
    const { ledger, run, close } = await open();
    const buyers = ['anna', 'Anna', 'anna ', 'änna', 'a\u0308nna', 'ANNA'];
    const saleId = await openSale(ledger, { limitUnits: 1 });
    const claims = buyers.map((buyerId, index) => newClaim(saleId, index + 1, { buyerId }));
    const outcomes = await ledger.settlement.settle(claims);
    expect(outcomes.map(({ kind }) => kind)).toEqual(buyers.map(() => 'settled'));
    const rows = (await run('select buyer_id from buyers order by buyer_id')) as { buyer_id: string }[];
    expect(rows.map((row) => row.buyer_id)).toEqual(
      [...buyers].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    await close();
  });
});
