import { expect, test } from 'vitest';
import { brokenLaws, faultOf, newClaim, openSale } from '../../../../ports/ledger-fixture.contract.ts';
import { faultsContract, SLOW_MS } from '../../faults.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('faults of MariaDB', await startTestServer('mariadb', { isDurable: true }), (server) => {
  const withLedger = faultsContract({
    ...{ server, commit: '\x03commit', createDatabase: createTestDatabase },
    open: (url, maxConnections) => openMysqlLedger({ url, maxConnections }),
    /** All but the one that asks. */
    async cutConnections({ run }, max) {
      const rows = (await run(`select id from information_schema.processlist
        where db = database() and id <> connection_id() order by rand() limit ${max}`)) as { id: number }[];
      for (const { id } of rows) await run(`kill ${id}`).catch(() => {});
      return rows.length;
    },
  });

  test('undoes a whole group when one of its statements waits too long for a row', { timeout: SLOW_MS }, () =>
    withLedger(async (ledger, { run }) => {
      const saleId = await openSale(ledger);
      await ledger.settlement.settle([newClaim(saleId, 1, { buyerId: 'waited-for' })]);
      const lock = run(`begin not atomic
        start transaction; select units into @units from buyers where buyer_id = 'waited-for' for update;
        do sleep(4); commit; end`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const group = [newClaim(saleId, 2), newClaim(saleId, 3, { buyerId: 'waited-for' })];
      expect(await faultOf(() => ledger.settlement.settle(group))).toBe('ledger_conflict');
      expect(await ledger.orders.find(newClaim(saleId, 2).orderId)).toBeNull();
      await lock;
      expect(await ledger.settlement.settle(group)).toMatchObject([{ kind: 'settled' }, { kind: 'settled' }]);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    }),
  );

  test('takes an object in the place of an id as a text, not as SQL', () =>
    withLedger(async (ledger) => {
      await openSale(ledger);
      expect(await ledger.sales.find({ id: 1 } as unknown as string)).toBeNull();
    }));
});
