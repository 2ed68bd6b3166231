import { expect, test } from 'vitest';
import { InvariantError, invariant, isUnitCount } from './invariant.ts';

test('a promise that holds passes, one that does not is named', () => {
  expect(() => invariant(true, 'it holds')).not.toThrow();
  expect(() => invariant(0, 'it holds')).toThrow(new InvariantError('broken promise: it holds'));
});

test.each([
  [0, true],
  [10 ** 15, true],
  [Number.MAX_SAFE_INTEGER, true],
  [2 ** 53, false],
  [-1, false],
  [0.5, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
])('%d is a number of units: %s', (value, expected) => {
  expect(isUnitCount(value)).toBe(expected);
});
