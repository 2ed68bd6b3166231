import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planBorrow } from './plan-borrow.ts';

const others = (...units: readonly number[]) => units.map((each, at) => ({ quota: `q${at}`, units: each }));

describe('a borrow', () => {
  it('takes its share from the centre first, and leaves the others alone', () => {
    expect(planBorrow({ freeUnits: 100, others: others(5, 5, 5) }, 1)).toEqual({ centreUnits: 25, recalls: [] });
  });

  it('takes what its buyers want, where that is more than its share', () => {
    expect(planBorrow({ freeUnits: 100, others: others(0, 0, 0) }, 60)).toMatchObject({ centreUnits: 60 });
  });

  it('takes the rest from the richest beside it', () => {
    const plan = planBorrow({ freeUnits: 2, others: others(1, 8, 3) }, 4);
    expect(plan).toEqual({ centreUnits: 2, recalls: [{ quota: 'q1', units: 3 }] });
  });

  it('takes a fair share of what is left beside it, of nobody more than half while that is enough', () => {
    const plan = planBorrow({ freeUnits: 0, others: others(50, 30, 20) }, 1);
    expect(plan.recalls).toEqual([{ quota: 'q0', units: 25 }]);
  });

  it('gets the last unit, wherever it is', () => {
    expect(planBorrow({ freeUnits: 0, others: others(0, 0, 1) }, 1).recalls).toEqual([{ quota: 'q2', units: 1 }]);
    expect(planBorrow({ freeUnits: 0, others: others(1, 1, 1) }, 3).recalls).toHaveLength(3);
  });

  it('brings what is wanted whenever there is as much, and takes nothing that is not there', () => {
    fc.assert(
      fc.property(
        ...[fc.nat({ max: 40 }), fc.array(fc.nat({ max: 20 }), { maxLength: 63 }), fc.integer({ min: 1, max: 99 })],
        (freeUnits, units, wanted) => {
          const view = { freeUnits, others: others(...units) };
          const { centreUnits, recalls } = planBorrow(view, wanted);
          const recalled = recalls.reduce((sum, recall) => sum + recall.units, 0);
          const there = freeUnits + units.reduce((sum, each) => sum + each, 0);
          expect(centreUnits + recalled).toBeGreaterThanOrEqual(Math.min(wanted, there));
          expect(centreUnits).toBeLessThanOrEqual(freeUnits);
          for (const { quota, units: taken } of recalls) {
            expect(taken).toBeGreaterThan(0);
            expect(taken).toBeLessThanOrEqual(view.others.find((each) => each.quota === quota)?.units ?? 0);
          }
        },
      ),
    );
  });
});
