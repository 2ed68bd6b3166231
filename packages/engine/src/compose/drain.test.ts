import { expect, test } from 'vitest';
import { drain } from './drain.ts';

function queueOf(...depths: readonly number[]) {
  const left = [...depths];
  return {
    depth: async () => ({ entries: left.length > 1 ? (left.shift() ?? 0) : (left[0] ?? 0), oldestAgeMs: null }),
  };
}

test('waits until the queue is empty, and tells how many claims were left when its time was up', async () => {
  expect(await drain(queueOf(0))).toBe(0);
  expect(await drain(queueOf(7, 3, 0))).toBe(0);
  expect(await drain(queueOf(7, 3), 2)).toBe(3);
});
