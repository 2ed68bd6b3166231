import { expect, test } from 'vitest';
import { SLOTS, slotOf } from './slots.ts';
import { keysOf } from './test-names.contract.ts';

test('a slot is counted as the specification of Redis Cluster does', () => {
  expect([slotOf('123456789'), slotOf('foo'), slotOf('{user1000}.following')]).toEqual([12_739, 12_182, 3443]);
  expect(slotOf('any{foo}thing{bar}')).toBe(slotOf('foo'));
});

test('all keys of a segment are in one slot (K25)', () => {
  for (const saleId of ['skin', 'a-b_c', 'ü{x}']) {
    const keys = Object.values(keysOf({ saleId, region: 'home', segment: 3 }, null));
    expect(new Set(keys.map(slotOf)).size).toBe(1);
  }
});

function partsOfMasters(saleId: string, parts: number, masters: number): readonly number[] {
  const counts = new Array<number>(masters).fill(0);
  for (let segment = 0; segment < parts; segment++) {
    const slot = slotOf(keysOf({ saleId, region: 'home', segment }, null).meta);
    const at = Math.floor((slot * masters) / SLOTS);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

test('the segments of a sale are spread evenly over masters that have as many slots each', () => {
  for (let sale = 0; sale < 40; sale++) {
    for (const [parts, masters] of [
      ...[
        [2, 2],
        [4, 2],
        [4, 4],
        [8, 4],
        [16, 8],
        [3, 3],
        [16, 3],
        [16, 5],
        [64, 6],
      ],
    ] as const) {
      const counts = partsOfMasters(`sale-${sale}`, parts, masters);
      const bound = Number.isInteger(Math.log2(parts / masters)) && Number.isInteger(Math.log2(masters)) ? 1 : 2;
      expect(Math.max(...counts) - Math.min(...counts), `${parts} on ${masters}: ${counts}`).toBeLessThanOrEqual(bound);
    }
  }
});
