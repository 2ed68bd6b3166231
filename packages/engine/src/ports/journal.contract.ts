/** What every ledger promises of its journal. */
import { describe, expect, test } from 'vitest';
import type { Ledger } from './ledger.ts';
import { newClaim, openSale } from './ledger-fixture.contract.ts';

export function journalContract(ledger: () => Ledger): void {
  describe('the journal', () => {
    test('is read in pages, oldest first, one sale at a time', async () => {
      const [saleId, other] = [await openSale(ledger()), await openSale(ledger())];
      for (const seq of [1, 2, 3, 4]) {
        await ledger().settlement.settle([newClaim(other, seq), newClaim(saleId, seq)]);
      }
      const causes: string[] = [];
      const sizes: number[] = [];
      for (let cursor: number | null = 0; cursor !== null; ) {
        const page = await ledger().journal.read(saleId, cursor, 3);
        sizes.push(page.entries.length);
        causes.push(...page.entries.map((entry) => entry.causeId));
        cursor = page.next;
      }
      expect(sizes).toEqual([3, 3, 1]);
      expect(causes).toEqual([
        saleId,
        `${saleId}/first`,
        `${saleId}/first`,
        ...[1, 2, 3, 4].map((seq) => newClaim(saleId, seq).orderId),
      ]);
    });

    test('ends with the last full page', async () => {
      const saleId = await openSale(ledger());
      expect(await ledger().journal.read(saleId, 0, 3)).toMatchObject({ next: null });
    });

    test('has nothing of a sale that does not exist', async () => {
      expect(await ledger().journal.read('no-such-sale', 0, 10)).toEqual({ entries: [], next: null });
    });
  });
}
