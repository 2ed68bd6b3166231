/** What every ledger promises of who works. */
import { describe, expect, test } from 'vitest';
import type { Ledger } from './ledger.ts';

let lastWorker = 0;

export function rosterContract(ledger: () => Ledger): void {
  const newWorker = () => `w${String(++lastWorker).padStart(6, '0')}`;

  describe('the roster', () => {
    test('names everybody who is present, in one order, and nobody who has left', async () => {
      const { roster } = ledger();
      const [a, b] = [newWorker(), newWorker()];
      await roster.present(b);
      const seen = await roster.present(a);
      expect(seen.filter((each) => each === a || each === b)).toEqual([a, b]);
      expect(await roster.present(b)).toEqual(seen);
      await roster.leave(a);
      expect(await roster.present(b)).not.toContain(a);
      await roster.leave(a);
      await roster.leave(b);
    });

    test('takes many at the same moment', async () => {
      const { roster } = ledger();
      const workers = Array.from({ length: 8 }, newWorker);
      await Promise.all(workers.map((worker) => roster.present(worker)));
      expect(await roster.present(workers[0] ?? '')).toEqual(expect.arrayContaining(workers));
      for (const worker of workers) await roster.leave(worker);
    });
  });
}
