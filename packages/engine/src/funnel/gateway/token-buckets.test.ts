import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { createTokenBuckets } from './token-buckets.ts';

describe('token buckets', () => {
  it('let a burst through, then the rate, and say how long to wait', () => {
    const clock = createManualClock(0);
    const buckets = createTokenBuckets(clock, { perSecond: 10, burst: 3 }, 10);
    expect([1, 2, 3].map(() => buckets.take('a'))).toEqual([0, 0, 0]);
    expect(buckets.take('a')).toBeCloseTo(100);
    clock.advance(99);
    expect(buckets.take('a')).toBeCloseTo(1);
    clock.advance(1);
    expect(buckets.take('a')).toBe(0);
    expect(buckets.take('b')).toBe(0);
  });

  it('take nothing for a call that was refused', () => {
    const clock = createManualClock(0);
    const buckets = createTokenBuckets(clock, { perSecond: 1, burst: 1 }, 10);
    buckets.take('a');
    for (let call = 0; call < 1_000; call++) expect(buckets.take('a')).toBeGreaterThan(0);
    clock.advance(1_000);
    expect(buckets.take('a')).toBe(0);
  });

  it('never let through more than burst + rate x time, whatever the wall clock does', () => {
    const steps = fc.array(
      fc.record({ waitMs: fc.nat(500), calls: fc.nat(20), stepMs: fc.integer({ min: -1e6, max: 1e6 }) }),
    );
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        (moves, perSecond, burst) => {
          const clock = createManualClock(1e12);
          const buckets = createTokenBuckets(clock, { perSecond, burst }, 2);
          let through = 0;
          for (const { waitMs, calls, stepMs } of moves) {
            clock.advance(waitMs);
            clock.step(stepMs);
            for (let call = 0; call < calls; call++) if (buckets.take('a') === 0) through++;
            expect(through).toBeLessThanOrEqual(burst + (perSecond * clock.monotonicMs()) / 1_000 + 1e-6);
          }
        },
      ),
    );
  });

  it('remember a bounded number of keys, and more keys buy no more calls', () => {
    const clock = createManualClock(0);
    const buckets = createTokenBuckets(clock, { perSecond: 1, burst: 1 }, 1_000);
    let through = 0;
    for (let key = 0; key < 6_000; key++) if (buckets.take(`k${key}`) === 0) through++;
    expect(buckets.size).toBe(1_000);
    expect(through).toBe(1_001);
    for (let key = 0; key < 1_000; key++) expect(buckets.take(`k${key}`)).toBeGreaterThan(0);
  });

  it('make room when buckets are full again', () => {
    const clock = createManualClock(0);
    const buckets = createTokenBuckets(clock, { perSecond: 1, burst: 1 }, 100);
    for (let key = 0; key < 100; key++) buckets.take(`old${key}`);
    clock.advance(1_000);
    for (let key = 0; key < 100; key++) expect(buckets.take(`new${key}`)).toBe(0);
    expect(buckets.size).toBe(100);
  });
});
