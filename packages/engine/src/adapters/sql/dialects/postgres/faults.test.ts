/** What a worker meets when PostgreSQL, or the way to it, fails: nothing twice, nothing lost, and it goes on. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Fault } from '../../../../domain/fault.ts';
import { settleGroup } from '../../../../funnel/ledger/settle-group.ts';
import type { Ledger } from '../../../../ports/ledger.ts';
import { brokenLaws, faultOf, newClaim, openSale, quotasOf } from '../../../../ports/ledger-fixture.contract.ts';
import { openBoth } from '../../crowd.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase, type TestDatabase } from './test-database.contract.ts';

const SLOW_MS = 120_000;

describeWithServer('faults of PostgreSQL', await startTestServer('postgres', { isDurable: true }), (server) => {
  async function withLedger(use: (ledger: Ledger, database: TestDatabase) => Promise<void>) {
    const database = await createTestDatabase(server.url);
    const { ledger, close } = await openPostgresLedger({ url: database.url, maxConnections: 4 });
    try {
      await use(ledger, database);
    } finally {
      await close();
      await database.drop();
    }
  }

  const terminate = ({ query }: TestDatabase, max: number) =>
    query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'sluice' order by random() limit ${max}`);

  test('settles everything once while its connections are cut again and again', { timeout: SLOW_MS }, () =>
    withLedger(async (raw, database) => {
      const ledger = patientLedger(raw);
      const groups = 40;
      const saleId = await openSale(raw, { totalUnits: groups * 25 });
      let isOver = false;
      let cuts = 0;
      const cutting = (async () => {
        while (!isOver) {
          cuts += (await terminate(database, 1)).rowCount ?? 0;
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
      })();
      let faults = 0;
      const settleAll = async (worker: number) => {
        for (let group = worker; group < groups; group += 4) {
          const claims = Array.from({ length: 25 }, (_, index) => newClaim(saleId, group * 25 + index + 1));
          for (let isSettled = false; !isSettled; ) {
            const fault = await faultOf(async () => {
              const outcomes = await ledger.settlement.settle(claims);
              expect(outcomes.every(({ kind }) => kind === 'settled' || kind === 'repeated')).toBe(true);
              isSettled = true;
            });
            if (fault) {
              faults++;
              expect(['ledger_unavailable', 'outcome_unknown']).toContain(fault);
            }
          }
        }
      };
      await Promise.all([0, 1, 2, 3].map(settleAll));
      isOver = true;
      await cutting;
      expect([cuts > 0, faults > 0]).toEqual([true, true]);
      expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(groups * 25);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
    }),
  );

  test('tells a commit whose answer was lost from one that was not made, and reads what became of it', () =>
    withLedger(async (_, database) => {
      const proxy = await startProxy(database.url);
      const { ledger, close } = await openPostgresLedger({ url: proxy.url, maxConnections: 2 });
      const saleId = await openSale(ledger);

      proxy.swallowCommits(1);
      expect(await faultOf(() => ledger.settlement.settle([newClaim(saleId, 1)]))).toBe('outcome_unknown');
      expect(await ledger.orders.find(newClaim(saleId, 1).orderId)).not.toBeNull();

      proxy.swallowCommits(1);
      const [outcome] = await patientLedger(ledger).settlement.settle([newClaim(saleId, 2)]);
      expect(outcome).toMatchObject({ kind: 'repeated', order: { state: 'pending' } });
      expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(2);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
      await close();
      proxy.close();
    }));

  test('outlives connections that break while nobody uses them', () =>
    withLedger(async (ledger, database) => {
      const saleId = await openSale(ledger);
      await Promise.all(Array.from({ length: 4 }, () => ledger.sales.find(saleId)));
      await terminate(database, 10);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await ledger.settlement.settle([newClaim(saleId, 1)])).toMatchObject([{ kind: 'settled' }]);
    }));

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

  test('names a database that is not there, and a server that does not answer', async () => {
    const url = new URL(server.url);
    url.pathname = '/no_such_database';
    const open = () => openPostgresLedger({ url: url.href, maxConnections: 1 });
    expect(await faultOf(open)).toBe('ledger_refused');
    url.port = '1';
    expect(await faultOf(open)).toBe('ledger_unavailable');
  });

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
        const fault = await settling;
        expect(fault).toBeInstanceOf(Fault);
        expect(['ledger_unavailable', 'outcome_unknown']).toContain((fault as Fault).code);
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

/** Passes everything on; of a commit that is to be swallowed it passes the question on and drops the line before the answer. */
async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let toSwallow = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isCut = false;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
    client.on('data', (chunk) => {
      upstream.write(chunk);
      if (toSwallow > 0 && chunk.includes('commit\0')) {
        toSwallow--;
        isCut = true;
      }
    });
    upstream.on('data', (chunk) => {
      if (isCut) client.destroy();
      else client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    swallowCommits(count: number) {
      toSwallow = count;
    },
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
