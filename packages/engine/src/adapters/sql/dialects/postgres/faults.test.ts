import { expect, test } from 'vitest';
import { settleGroup } from '../../../../funnel/ledger/settle-group.ts';
import { brokenLaws, faultOf, newClaim, openSale } from '../../../../ports/ledger-fixture.contract.ts';
import { openBoth } from '../../crowd.contract.ts';
import { faultsContract, SLOW_MS } from '../../faults.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('faults of PostgreSQL', await startTestServer('postgres', { isDurable: true }), (server) => {
  const withLedger = faultsContract({
    ...{ server, commit: 'commit\0', createDatabase: createTestDatabase },
    open: (url, maxConnections) => openPostgresLedger({ url, maxConnections }),
    async cutConnections({ query }, max) {
      const cut = await query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'sluice' order by random() limit ${max}`);
      return cut.rowCount ?? 0;
    },
  });

  test('waits for a row that somebody has locked, and says so when it takes too long', { timeout: SLOW_MS }, () =>
    withLedger(async (ledger, database) => {
      const saleId = await openSale(ledger);
      const lock = database.query(`begin; select * from segments for update; select pg_sleep(4); commit`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await faultOf(() => ledger.settlement.settle([newClaim(saleId, 1)]))).toBe('ledger_conflict');
      const [outcome] = await patientLedger(ledger).settlement.settle([newClaim(saleId, 2)]);
      expect(outcome).toMatchObject({ kind: 'settled' });
      await lock;
    }),
  );

  test('settles a claim of another segment after the order’s end that is under way, not on top of it', () =>
    withLedger(async (ledger, database) => {
      const saleId = await openBoth(ledger, { totalUnits: 10, holdMs: 0 });
      const claim = newClaim(saleId, 1);
      await ledger.settlement.settle([claim]);
      await ledger.orders.expireDue(10);
      await ledger.orders.notePayment({ reference: 'r', orderId: claim.orderId, outcome: 'paid', amount: null });
      // What giving it up writes, by somebody who takes a second for it.
      const ending = database.query(`begin; update orders set state = 'paid_unfulfilled';
        update payments set state = 'refund_due'; select pg_sleep(1); commit`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const again = { ...claim, origin: { ...claim.origin, segment: 1, seq: 2 } };
      const [outcome] = await ledger.settlement.settle([again]);
      await ending;
      expect(outcome).toMatchObject({ order: { state: 'paid_unfulfilled' }, release: { units: 1 } });
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    }));

  test('puts aside what no column holds', () =>
    withLedger(async (raw) => {
      const ledger = patientLedger(raw);
      const saleId = await openSale(ledger);
      const poison = newClaim(saleId, 2, { buyerId: 'nul\0' });
      const group = [newClaim(saleId, 1), poison, newClaim(saleId, 3)];
      const outcomes = await settleGroup(ledger.settlement, group);
      expect(outcomes.map(({ kind }) => kind)).toEqual(['settled', 'quarantined', 'settled']);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    }));

  test('leaves a ledger of a newer version alone', () =>
    withLedger(async (_, database) => {
      await database.query(`insert into ledger_migrations values ('9999-from-the-future', '2099-01-01T00:00:00.000Z')`);
      expect(await faultOf(() => openPostgresLedger({ url: database.url, maxConnections: 1 }))).toBe('ledger_newer');
    }));

  test('has not begun a migration that was broken off half way', async () => {
    const database = await createTestDatabase(server.url);
    await database.query('create table journal (note text)');
    await expect(openPostgresLedger({ url: database.url, maxConnections: 1 })).rejects.toThrow('journal');
    const tables = await database.query(`select tablename from pg_tables where schemaname = 'public'`);
    expect(tables.rows).toEqual([{ tablename: 'journal' }]);
    await database.drop();
  });
});
