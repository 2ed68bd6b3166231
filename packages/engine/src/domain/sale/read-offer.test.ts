import { describe, expect, test } from 'vitest';
import { amountDueOf, costOf, itemsOf } from './offer.ts';
import { readOffer } from './read-offer.ts';

const FACTS = { saleId: 'sale', limitUnits: 3 };
const ITEMS = [
  { itemId: 'sword', quantity: 1 },
  { itemId: 'potion', quantity: 5 },
];

describe('an offer', () => {
  test('is one item of the sale for whatever the back end asks, when nothing is said', () => {
    const items = [{ itemId: 'sale', quantity: 1 }];
    expect(readOffer({}, FACTS)).toEqual({ kind: 'offer', offer: { kind: 'limited_skin', items, price: null } });
  });

  test('of each kind costs and delivers by the unit', () => {
    for (const [wish, cost, due] of [
      [{ kind: 'limited_skin', price: { amount: 4_900, currency: 'CNY' } }, { amount: 9_800, currency: 'CNY' }, 9_800],
      [{ kind: 'gift_pack' }, null, null],
      [{ kind: 'exchange', price: { points: 30 } }, { points: 60 }, 60],
    ] as const) {
      const reading = readOffer({ ...wish, items: ITEMS }, FACTS);
      if (reading.kind !== 'offer') throw new Error(reading.sentence);
      expect(costOf(reading.offer, 2)).toEqual(cost);
      expect(amountDueOf(reading.offer, 2)).toBe(due);
      expect(itemsOf(reading.offer, 2)).toEqual([
        { itemId: 'sword', quantity: 2 },
        { itemId: 'potion', quantity: 10 },
      ]);
    }
  });

  test.each([
    [{ kind: 'limited_skin', price: { points: 3 } }, 'limited_skin'],
    [{ kind: 'limited_skin', price: { amount: 3 } }, 'currency'],
    [{ kind: 'gift_pack', price: { amount: 3, currency: 'CNY' } }, 'no price'],
    [{ kind: 'exchange' }, 'points'],
    [{ kind: 'exchange', price: { points: 3, amount: 3, currency: 'CNY' } }, 'points'],
    [{ items: [...ITEMS, { itemId: 'sword', quantity: 2 }] }, 'twice'],
    [{ kind: 'exchange', price: { points: Number.MAX_SAFE_INTEGER } }, 'too large'],
  ] as const)('whose parts do not go together is refused: %j', (wish, part) => {
    expect(readOffer(wish, FACTS)).toMatchObject({ kind: 'mistake', sentence: expect.stringContaining(part) });
  });
});
