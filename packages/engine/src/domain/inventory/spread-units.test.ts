import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Quota } from './quota.ts';
import { spreadUnits } from './spread-units.ts';

function quota(segment: number, allottedUnits = 0, soldUnits = 0): Quota {
  const nothing = { heldUnits: 0, quarantinedUnits: 0 };
  return { saleId: 'sale', region: 'home', segment, channel: 'main', allottedUnits, soldUnits, ...nothing };
}

const sharesOf = (quotas: readonly Quota[], units: number) =>
  spreadUnits(quotas, units).map((share) => [share.quota.segment, share.units]);

describe('free units', () => {
  it('are divided evenly, and what does not divide goes to the first segments', () => {
    const quotas = Array.from({ length: 16 }, (_, segment) => quota(segment)).reverse();
    const shares = sharesOf(quotas, 10_007);
    expect(shares).toEqual(Array.from({ length: 16 }, (_, segment) => [segment, segment < 7 ? 626 : 625]));
  });

  it('reach only the first segments when there are fewer than segments', () => {
    expect(sharesOf([quota(0), quota(1), quota(2)], 2)).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it('go where the fewest are left unsold', () => {
    expect(sharesOf([quota(0, 10, 0), quota(1, 10, 10), quota(2, 10, 8)], 6)).toEqual([
      [1, 4],
      [2, 2],
    ]);
  });

  it('go on to those that a crash left without', () => {
    expect(sharesOf([quota(0, 25), quota(1, 25), quota(2), quota(3)], 50)).toEqual([
      [2, 25],
      [3, 25],
    ]);
  });

  it('all go out, and nobody gets any above the level of the others', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 64 }),
        fc.nat({ max: 1_000 }),
        (allotted, units) => {
          const quotas = allotted.map((each, segment) => quota(segment, each));
          const shares = spreadUnits(quotas, units);
          expect(shares.reduce((sum, share) => sum + share.units, 0)).toBe(units);
          const after = allotted.map((each, at) => each + (shares.find((s) => s.quota.segment === at)?.units ?? 0));
          for (const share of shares) {
            expect((after[share.quota.segment] ?? 0) - Math.min(...after)).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});
