import { expect, test } from 'vitest';
import { drain } from './drain.ts';

function queueOf(...depths: readonly number[]) {
  const left = [...depths];
  return {
    depth: async () => ({ entries: left.length > 1 ? (left.shift() ?? 0) : (left[0] ?? 0), oldestAgeMs: null }),
  };
}

test('waits until the queue is empty, however long that takes while it gets shorter', async () => {
  expect(await drain(queueOf(0))).toBe(0);
  expect(await drain(queueOf(7, 3, 0))).toBe(0);
  expect(await drain(queueOf(7, 6, 6, 5, 5, 4, 3, 0), 2)).toBe(0);
});

test('tells how many claims are left when it gets no shorter', async () => {
  expect(await drain(queueOf(7, 3), 2)).toBe(3);
  // Neither does one that grows.
  expect(await drain(queueOf(3, 4, 3, 2, 0), 2)).toBe(3);
});
