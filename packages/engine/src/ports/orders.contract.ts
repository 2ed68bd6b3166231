/** What every ledger promises of the orders that it holds. */
import { describe, expect, test } from 'vitest';
import type { Ledger } from './ledger.ts';
import { newClaim, openSale } from './ledger-fixture.contract.ts';

/** Ids that a parser, a quoting rule or a number would change. */
const ODD_IDS = [
  '9007199254740993',
  '007',
  '1e3',
  ' leading and trailing ',
  '{}',
  'it\'s "quoted" `twice` \\ %_;--',
  'line\r\nbreak\ttab',
  'emoji 🛒👩‍👩‍👧‍👦 e\u0301 é',
  'null',
  '?1 :name @x $y',
  'x'.repeat(512),
  '🛒'.repeat(256),
];

export function ordersContract(ledger: () => Ledger): void {
  describe('orders', () => {
    test('are absent until they are settled', async () => {
      const saleId = await openSale(ledger());
      expect(await ledger().orders.find(newClaim(saleId, 1).orderId)).toBeNull();
    });

    test('keep every id as it came', async () => {
      const saleId = await openSale(ledger());
      const claims = ODD_IDS.map((id, index) => newClaim(saleId, index + 1, { orderId: id, buyerId: id }));
      const outcomes = await ledger().settlement.settle(claims);
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(claims.map(() => 'settled'));
      for (const claim of claims) expect(await ledger().orders.find(claim.orderId)).toMatchObject(claim);
      const again = await ledger().settlement.settle(claims);
      expect(again.map((outcome) => outcome.kind)).toEqual(claims.map(() => 'repeated'));
    });

    test('tell ids apart byte by byte', async () => {
      const saleId = await openSale(ledger(), { limitUnits: 1 });
      const buyers = ['Ann', 'ann', 'ann ', 'ａnn', '1', '01', '1.0'];
      const claims = buyers.map((buyerId, index) =>
        newClaim(saleId, index + 1, { orderId: `${saleId}:${buyerId}`, buyerId }),
      );
      const outcomes = await ledger().settlement.settle(claims);
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(claims.map(() => 'settled'));
    });
  });
}
