import { expect, test } from 'vitest';
import { isWithinLimit } from './purchase-limit.ts';

test.each([
  [0, 3, 3, true],
  [2, 1, 3, true],
  [0, 4, 3, false],
  [2, 2, 3, false],
  [3, 1, 3, false],
  // The limit was lowered under what is taken.
  [5, 1, 3, false],
])('who has %i and wants %i of a limit of %i: %s', (taken, wanted, limit, expected) => {
  expect(isWithinLimit(taken, wanted, limit)).toBe(expected);
});
