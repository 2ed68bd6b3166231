import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BEFORE_ALL, claimId, comparePositions, isSameOrigin, type Origin, quotaOf, segmentOf } from './claim.ts';

const origin: Origin = { region: 'main', segment: 0, channel: 'web', epoch: 1, seq: 1 };
const claim = { orderId: 'x', saleId: 'sale', buyerId: 'one', units: 1, origin };

const others: readonly Origin[] = [
  { ...origin, region: 'other' },
  { ...origin, segment: 1 },
  { ...origin, channel: 'app' },
  { ...origin, epoch: 2 },
  { ...origin, seq: 2 },
];

describe('a claim', () => {
  test('P10: is another one when any part of its origin differs', () => {
    expect(isSameOrigin(origin, { ...origin })).toBe(true);
    for (const other of others) expect(isSameOrigin(origin, other)).toBe(false);
    const ids = [origin, ...others].map((each) => claimId({ orderId: 'x', origin: each }));
    expect(new Set([...ids, claimId({ orderId: 'y', origin })]).size).toBe(7);
  });

  test('belongs to the quota and the segment of its origin', () => {
    expect(segmentOf(claim)).toEqual({ saleId: 'sale', region: 'main', segment: 0 });
    expect(quotaOf(claim)).toEqual({ saleId: 'sale', region: 'main', segment: 0, channel: 'web' });
  });
});

describe('positions', () => {
  const position = fc.record({ epoch: fc.nat({ max: 3 }), seq: fc.nat({ max: 3 }) });

  test('are ordered by epoch, then by sequence', () => {
    expect(comparePositions({ epoch: 1, seq: 9 }, { epoch: 2, seq: 1 })).toBeLessThan(0);
    expect(comparePositions({ epoch: 2, seq: 2 }, { epoch: 2, seq: 1 })).toBeGreaterThan(0);
  });

  test('are in one order, which begins before all', () => {
    fc.assert(
      fc.property(position, position, position, (a, b, c) => {
        expect(Math.sign(comparePositions(a, b))).toBe(-Math.sign(comparePositions(b, a)) + 0);
        expect(comparePositions(a, b) === 0).toBe(a.epoch === b.epoch && a.seq === b.seq);
        if (comparePositions(a, b) <= 0 && comparePositions(b, c) <= 0)
          expect(comparePositions(a, c)).toBeLessThanOrEqual(0);
        expect(comparePositions(BEFORE_ALL, a)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
