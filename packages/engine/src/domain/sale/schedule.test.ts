import { expect, test } from 'vitest';
import { phaseAt } from './schedule.ts';

test.each([
  [99, 'upcoming'],
  [100, 'selling'],
  [199, 'selling'],
  [200, 'over'],
  [Number.MAX_SAFE_INTEGER, 'over'],
] as const)('at %i a sale from 100 to 200 is %s', (nowMs, phase) => {
  expect(phaseAt({ startsAtMs: 100, endsAtMs: 200 }, nowMs)).toBe(phase);
});

test('an empty window is never selling', () => {
  expect([99, 100, 101].map((nowMs) => phaseAt({ startsAtMs: 100, endsAtMs: 100 }, nowMs))).toEqual([
    'upcoming',
    'over',
    'over',
  ]);
});
