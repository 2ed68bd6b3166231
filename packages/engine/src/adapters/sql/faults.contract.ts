/** What a worker meets when a database elsewhere, or the way to it, fails: nothing twice, nothing lost, and it goes on. */
import { expect, test } from 'vitest';
import { Fault } from '../../domain/fault.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { brokenLaws, faultOf, newClaim, openSale, quotasOf } from '../../ports/ledger-fixture.contract.ts';
import { startCommitLosingProxy } from './commit-losing-proxy.contract.ts';
import { patientLedger } from './patient-ledger.contract.ts';

interface OpenedLedger {
  readonly ledger: Ledger;
  close(): Promise<void>;
}

export interface FaultsSubject<Database extends { readonly url: string; drop(): Promise<void> }> {
  readonly server: {
    readonly url: string;
    readonly crash?: () => void;
    readonly restart?: () => Promise<void>;
  };
  /** How a commit looks on the wire. */
  readonly commit: string;
  createDatabase(serverUrl: string): Promise<Database>;
  open(url: string, maxConnections: number): Promise<OpenedLedger>;
  /** Ends so many of the ledger's connections, and answers how many that were. */
  cutConnections(database: Database, max: number): Promise<number>;
}

export const SLOW_MS = 120_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Gives what a test of one database needs for its own. */
export function faultsContract<Database extends { readonly url: string; drop(): Promise<void> }>(
  subject: FaultsSubject<Database>,
): (use: (ledger: Ledger, database: Database) => Promise<void>) => Promise<void> {
  const { server } = subject;

  async function withLedger(use: (ledger: Ledger, database: Database) => Promise<void>): Promise<void> {
    const database = await subject.createDatabase(server.url);
    const { ledger, close } = await subject.open(database.url, 4);
    try {
      await use(ledger, database);
    } finally {
      await close();
      await database.drop();
    }
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
          cuts += await subject.cutConnections(database, 1);
          await pause(60);
        }
      })();
      const settleAll = async (worker: number) => {
        for (let group = worker; group < groups; group += 4) {
          const claims = Array.from({ length: 25 }, (_, index) => newClaim(saleId, group * 25 + index + 1));
          for (let isSettled = false; !isSettled; ) {
            const fault = await faultOf(async () => {
              const outcomes = await ledger.settlement.settle(claims);
              expect(outcomes.every(({ kind }) => kind === 'settled' || kind === 'repeated')).toBe(true);
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

  test(
    'tells a commit whose answer was lost from one that was not made, and reads what became of it',
    {
      timeout: SLOW_MS,
    },
    () =>
      withLedger(async (_, database) => {
        const proxy = await startCommitLosingProxy(database.url, subject.commit);
        const { ledger, close } = await subject.open(proxy.url, 2);
        const saleId = await openSale(ledger, { totalUnits: 101 });

        proxy.swallowCommits(1);
        expect(await faultOf(() => ledger.settlement.settle([newClaim(saleId, 1)]))).toBe('outcome_unknown');
        expect(await ledger.orders.find(newClaim(saleId, 1).orderId)).not.toBeNull();

        const patient = patientLedger(ledger);
        for (let seq = 2; seq <= 101; seq++) {
          proxy.swallowCommits(1);
          const [outcome] = await patient.settlement.settle([newClaim(saleId, seq)]);
          expect(outcome).toMatchObject({ kind: 'repeated', order: { state: 'pending' } });
        }
        expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(101);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
        await close();
        proxy.close();
      }),
  );

  test('outlives connections that break while nobody uses them', () =>
    withLedger(async (ledger, database) => {
      const saleId = await openSale(ledger);
      await Promise.all(Array.from({ length: 4 }, () => ledger.sales.find(saleId)));
      await subject.cutConnections(database, 10);
      await pause(200);
      expect(await ledger.settlement.settle([newClaim(saleId, 1)])).toMatchObject([{ kind: 'settled' }]);
    }));

  test('names a database that is not there, and a server that does not answer', async () => {
    const url = new URL(server.url);
    url.pathname = '/no_such_database';
    expect(await faultOf(() => subject.open(url.href, 1))).toBe('ledger_refused');
    url.port = '1';
    expect(await faultOf(() => subject.open(url.href, 1))).toBe('ledger_unavailable');
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
        await pause(500);
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

  return withLedger;
}
