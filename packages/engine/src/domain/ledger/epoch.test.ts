import { describe, expect, test } from 'vitest';
import { BEFORE_ALL, type Position } from '../order/claim.ts';
import { type Cut, isStale } from './epoch.ts';

const at = (epoch: number, seq: number): Position => ({ epoch, seq });
const stale = (position: Position, epoch: number, cuts: readonly Cut[]): boolean =>
  isStale(position, { saleId: 'sale', region: 'main', segment: 0, epoch, cuts, settledThrough: BEFORE_ALL });

describe('a claim', () => {
  test('of the epoch that is open counts', () => {
    expect(stale(at(1, 1), 1, [{ epoch: 1, through: BEFORE_ALL }])).toBe(false);
    expect(stale(at(2, 99), 2, [{ epoch: 2, through: at(1, 3) }])).toBe(false);
  });

  test('of an older epoch counts up to the cut', () => {
    const cuts: Cut[] = [{ epoch: 2, through: at(1, 3) }];
    expect([1, 3, 4].map((seq) => stale(at(1, seq), 2, cuts))).toEqual([false, false, true]);
  });

  test('P4: must lie under every later cut', () => {
    // Epoch 3 was opened when nothing could be read, epoch 4 with a queue that still had the old entry.
    const cuts: Cut[] = [
      { epoch: 2, through: at(1, 3) },
      { epoch: 3, through: BEFORE_ALL },
      { epoch: 4, through: at(3, 5) },
    ];
    expect(stale(at(1, 1), 4, cuts)).toBe(true);
    expect(stale(at(2, 1), 4, cuts)).toBe(true);
    expect(stale(at(3, 5), 4, cuts)).toBe(false);
    expect(stale(at(3, 6), 4, cuts)).toBe(true);
    expect(stale(at(4, 1), 4, cuts)).toBe(false);
  });

  test('P4: is not saved by a later cut that lies higher', () => {
    const cuts: Cut[] = [
      { epoch: 2, through: at(1, 1) },
      { epoch: 3, through: at(2, 9) },
    ];
    expect(stale(at(1, 1), 3, cuts)).toBe(false);
    expect(stale(at(1, 2), 3, cuts)).toBe(true);
    expect(stale(at(2, 9), 3, cuts)).toBe(false);
  });

  test('is not cut by the epoch that it was made in, nor by an older one', () => {
    expect(stale(at(2, 7), 2, [{ epoch: 2, through: BEFORE_ALL }])).toBe(false);
    expect(stale(at(3, 7), 3, [{ epoch: 2, through: BEFORE_ALL }])).toBe(false);
  });

  test('of an epoch that was never opened does not count', () => {
    expect(stale(at(2, 1), 1, [])).toBe(true);
  });
});
