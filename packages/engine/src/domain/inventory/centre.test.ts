import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../invariant.ts';
import { afterAllot, type Centre, centreOf, decideAllot as decide } from './centre.ts';

const decideAllot = (centre: Centre, units: number) => decide({ centre, state: 'live', isWithdrawing: false }, units);

describe('the centre', () => {
  test('begins with everything free', () => {
    expect(centreOf(10)).toEqual({ totalUnits: 10, freeUnits: 10, allottedUnits: 0 });
  });

  test('gives what is asked for, else what there is, else nothing', () => {
    expect(decideAllot(centreOf(10), 4)).toEqual({ kind: 'allotted', units: 4 });
    expect(decideAllot(centreOf(3), 4)).toEqual({ kind: 'allotted', units: 3 });
    expect(decideAllot(centreOf(0), 4)).toEqual({ kind: 'refused', reason: 'centre_empty' });
  });

  test('gives nothing of a sale that is closed, nor while units are withdrawn', () => {
    const view = { centre: centreOf(3), isWithdrawing: false };
    for (const state of ['closed', 'settled'] as const) {
      expect(decide({ ...view, state }, 1)).toEqual({ kind: 'refused', reason: 'sale_closed' });
    }
    expect(decide({ ...view, state: 'live', isWithdrawing: true }, 1)).toEqual({
      kind: 'refused',
      reason: 'withdrawing',
    });
  });

  test.each([0, -1, 0.5, Number.NaN, 2 ** 53])('is not asked for %d units', (units) => {
    expect(() => decideAllot(centreOf(10), units)).toThrow(InvariantError);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('is not made of %d units', (units) => {
    expect(() => centreOf(units)).toThrow(InvariantError);
  });

  test('never allots more than is free', () => {
    expect(() => afterAllot(centreOf(3), 4)).toThrow(InvariantError);
  });

  test('law: free and allotted are together the total, whatever is asked for', () => {
    const units = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.array(units), (totalUnits, wanted) => {
        let centre = centreOf(totalUnits);
        let givenUnits = 0;
        for (const want of wanted) {
          const decision = decideAllot(centre, want);
          expect(decision.kind === 'refused').toBe(centre.freeUnits === 0);
          if (decision.kind === 'refused') continue;
          expect(decision.units).toBeGreaterThan(0);
          expect(decision.units).toBeLessThanOrEqual(want);
          givenUnits += decision.units;
          centre = afterAllot(centre, decision.units);
          expect(centre.freeUnits).toBeGreaterThanOrEqual(0);
          expect(centre).toEqual({ totalUnits, freeUnits: totalUnits - givenUnits, allottedUnits: givenUnits });
        }
        expect(givenUnits).toBe(
          Math.min(
            totalUnits,
            wanted.reduce((sum, want) => sum + want, 0),
          ),
        );
      }),
    );
  });
});
