import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrivalsOf, PROFILES, type Profile } from './arrivals.ts';
import { createDice } from './dice.ts';

const BUYERS = 20_000;

function sharesOf(profile: Profile, overMs: number): readonly number[] {
  const arrivals = arrivalsOf({ profile, overMs }, BUYERS, createDice(1));
  return Array.from({ length: overMs / 1_000 }, (_, second) => {
    return arrivals.filter((atMs) => Math.floor(atMs / 1_000) === second).length / BUYERS;
  });
}

describe('buyers of a rush', () => {
  test('come within the time that they were given, the same with the same seed (property)', () => {
    const profiles = Object.keys(PROFILES) as Profile[];
    fc.assert(
      fc.property(
        fc.constantFrom(...profiles),
        fc.nat(100_000),
        fc.nat(300),
        fc.nat(),
        (profile, overMs, buyers, seed) => {
          const arrivals = arrivalsOf({ profile, overMs }, buyers, createDice(seed));
          expect(arrivals).toHaveLength(buyers);
          for (const atMs of arrivals) {
            expect(atMs).toBeGreaterThanOrEqual(0);
            expect(atMs).toBeLessThanOrEqual(overMs);
          }
          expect(arrivalsOf({ profile, overMs }, buyers, createDice(seed))).toEqual(arrivals);
        },
      ),
    );
  });

  test('as a herd come most in the first second, and ever more rarely afterwards', () => {
    const [first = 0, ...tail] = sharesOf('herd', 10_000);
    expect(first).toBeGreaterThan(0.55);
    for (const [index, share] of tail.slice(0, 5).entries()) expect(share).toBeGreaterThan(tail[index + 1] ?? 1);
    expect(tail.at(-1)).toBeGreaterThan(0);
  });

  test('that are steady come as many in each second', () => {
    for (const share of sharesOf('steady', 10_000)) expect(share).toBeCloseTo(0.1, 2);
  });
});
