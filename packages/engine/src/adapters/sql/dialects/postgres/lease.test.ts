import { expect, test } from 'vitest';
import type { Clock } from '../../../../ports/clock.ts';
import { systemClock } from '../../../system/clock.ts';
import { holdLease, type Lease, type LeaseRequest } from '../../lease.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { type OpenPostgres, openPostgresLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

const SLOW_MS = 60_000;

/** As the clock of a process that was killed. */
const deadClock: Clock = { ...systemClock, after: () => () => {} };

describeWithServer('a lease in PostgreSQL', await startTestServer('postgres'), (server) => {
  async function withLedger(
    use: (opened: OpenPostgres, hold: (changes?: Partial<LeaseRequest>) => Promise<Lease>) => Promise<void>,
  ) {
    const database = await createTestDatabase(server.url);
    const opened = await openPostgresLedger({ url: database.url, maxConnections: 4 });
    const { db, dialect } = opened;
    let holders = 0;
    await use(opened, (changes) =>
      holdLease({
        ...{ db, dialect, clock: systemClock, name: 'gate', holder: `holder ${++holders}` },
        onLost: () => {},
        ...changes,
      }),
    );
    await opened.close();
    await database.drop();
  }

  test('has one holder, and the second is told who it is', { timeout: SLOW_MS }, () =>
    withLedger(async (_, hold) => {
      const first = await hold();
      await expect(hold()).rejects.toMatchObject({ code: 'ledger_held', message: expect.stringContaining('holder 1') });
      await first.release();
      await (await hold()).release();
    }),
  );

  test('has one holder of many who ask at once', { timeout: SLOW_MS }, () =>
    withLedger(async (_, hold) => {
      const results = await Promise.allSettled(Array.from({ length: 4 }, () => hold()));
      const held = results.filter((result) => result.status === 'fulfilled');
      expect(held).toHaveLength(1);
      for (const { value } of held) await value.release();
    }),
  );

  test('is free again some seconds after its holder was killed', { timeout: SLOW_MS }, () =>
    withLedger(async (_, hold) => {
      await hold({ clock: deadClock });
      const startedMs = performance.now();
      const second = await hold();
      expect(performance.now() - startedMs).toBeGreaterThan(5_000);
      await second.release();
    }),
  );

  test('tells a holder that another one has it', { timeout: SLOW_MS }, () =>
    withLedger(async ({ db }, hold) => {
      const lost = new Promise<string>((resolve) => {
        hold({ onLost: ({ code }) => resolve(code) }).catch(resolve);
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
      await db.updateTable('leases').set({ holder: 'somebody else' }).execute();
      expect(await lost).toBe('ledger_held');
    }),
  );
});
