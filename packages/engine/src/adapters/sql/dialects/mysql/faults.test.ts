/** What a worker meets when MariaDB, or the way to it, fails: nothing twice, nothing lost, and it goes on. */
import { expect, test } from 'vitest';
import { Fault } from '../../../../domain/fault.ts';
import type { Ledger } from '../../../../ports/ledger.ts';
import { brokenLaws, faultOf, newClaim, openSale, quotasOf } from '../../../../ports/ledger-fixture.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createTestDatabase, type TestDatabase } from './test-database.contract.ts';

const SLOW_MS = 120_000;

describeWithServer('faults of MariaDB', await startTestServer('mariadb', { isDurable: true }), (server) => {
  async function withLedger(use: (ledger: Ledger, database: TestDatabase) => Promise<void>) {
    const database = await createTestDatabase(server.url);
    const { ledger, close } = await openMysqlLedger({ url: database.url, maxConnections: 4 });
    try {
      await use(ledger, database);
    } finally {
      await close();
      await database.drop();
    }
  }

  /** All connections to the database but the one that asks. */
  async function killOne({ run }: TestDatabase): Promise<number> {
    const rows = (await run(`select id from information_schema.processlist
      where db = database() and id <> connection_id() order by rand() limit 1`)) as { id: number }[];
    for (const { id } of rows) await run(`kill ${id}`).catch(() => {});
    return rows.length;
  }

  test('settles everything once while its connections are cut again and again', { timeout: SLOW_MS }, () =>
    withLedger(async (raw, database) => {
      const ledger = patientLedger(raw);
      const groups = 40;
      const saleId = await openSale(raw, { totalUnits: groups * 25 });
      let isOver = false;
      let cuts = 0;
      const cutting = (async () => {
        while (!isOver) {
          cuts += await killOne(database);
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
      })();
      const settleAll = async (worker: number) => {
        for (let group = worker; group < groups; group += 4) {
          const claims = Array.from({ length: 25 }, (_, index) => newClaim(saleId, group * 25 + index + 1));
          for (let isSettled = false; !isSettled; ) {
            const fault = await faultOf(async () => {
              await ledger.settlement.settle(claims);
              isSettled = true;
            });
            if (fault) expect(['ledger_unavailable', 'outcome_unknown']).toContain(fault);
          }
        }
      };
      await Promise.all([0, 1, 2, 3].map(settleAll));
      isOver = true;
      await cutting;
      expect(cuts).toBeGreaterThan(0);
      expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(groups * 25);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    }),
  );

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

  test('names a database that is not there, and a server that does not answer', async () => {
    const url = new URL(server.url);
    url.pathname = '/no_such_database';
    const open = () => openMysqlLedger({ url: url.href, maxConnections: 1 });
    expect(await faultOf(open)).toBe('ledger_refused');
    url.port = '1';
    expect(await faultOf(open)).toBe('ledger_unavailable');
  });

  const { crash, restart } = server;
  if (crash && restart) {
    test('has what it answered after a kill -9 of the server, and goes on', { timeout: SLOW_MS }, () =>
      withLedger(async (ledger) => {
        const saleId = await openSale(ledger, { totalUnits: 2_000 });
        const answered: number[] = [];
        let seq = 0;
        const settling = (async () => {
          for (;;) {
            const claim = newClaim(saleId, ++seq);
            await ledger.settlement.settle([claim]);
            answered.push(seq);
          }
        })().catch((error: unknown) => error);
        await new Promise((resolve) => setTimeout(resolve, 500));
        crash();
        expect(await settling).toBeInstanceOf(Fault);
        await restart();
        expect(answered.length).toBeGreaterThan(0);
        const again = await ledger.settlement.settle(answered.slice(-500).map((each) => newClaim(saleId, each)));
        expect(again.every(({ kind }) => kind === 'repeated')).toBe(true);
        await ledger.settlement.settle([newClaim(saleId, seq)]);
        expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(seq);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }),
    );
  }
});
