import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SEGMENTS, segmentOfBuyer } from './segment-of-buyer.ts';

const BUYERS = Array.from({ length: 20_000 }, (_, number) => `buyer-${number}`);

describe('the segment of a buyer', () => {
  it('is one of the segments, and the same whenever it is asked for', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 1, max: MAX_SEGMENTS }), (scope, buyerId, segments) => {
        const segment = segmentOfBuyer(scope, buyerId, segments);
        expect(segment).toBeGreaterThanOrEqual(0);
        expect(segment).toBeLessThan(segments);
        expect(segmentOfBuyer(scope, buyerId, segments)).toBe(segment);
      }),
    );
  });

  it('stays what it was in every version: who won there must be found there', () => {
    const buyers = ['ann', 'bob', '9007199254740993', '玩家一号', ''];
    expect(buyers.map((buyerId) => segmentOfBuyer('spring', buyerId, 16))).toEqual([8, 8, 0, 10, 14]);
  });

  it.each([2, 3, 7, 16, 64])('spreads buyers evenly over %i segments', (segments) => {
    const counts = new Array<number>(segments).fill(0);
    for (const buyerId of BUYERS) {
      const segment = segmentOfBuyer('spring', buyerId, segments);
      counts[segment] = (counts[segment] ?? 0) + 1;
    }
    const mean = BUYERS.length / segments;
    // Five standard deviations of a fair draw.
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
  });

  it.each([1, 2, 7, 15, 63])('moves only the share of the new one when %i segments become one more', (segments) => {
    let moved = 0;
    for (const buyerId of BUYERS) {
      const before = segmentOfBuyer('spring', buyerId, segments);
      const after = segmentOfBuyer('spring', buyerId, segments + 1);
      if (after === before) continue;
      moved++;
      expect(after, 'nobody moves between segments that stay').toBe(segments);
    }
    const mean = BUYERS.length / (segments + 1);
    expect(Math.abs(moved - mean)).toBeLessThan(5 * Math.sqrt(mean));
  });

  it('depends on the scope: the same crowd meets other neighbours in another sale', () => {
    const together = BUYERS.filter((id) => segmentOfBuyer('spring', id, 16) === segmentOfBuyer('autumn', id, 16));
    expect(together.length).toBeLessThan(BUYERS.length / 8);
  });
});
