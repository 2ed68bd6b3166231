import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Order } from './order.ts';
import { readCursor, writeCursor } from './order-cursor.ts';

describe('the cursor of a page', () => {
  test('is read as it was written', () => {
    const at = fc.record({ settledAtMs: fc.maxSafeNat(), orderId: fc.stringMatching(/^[A-Za-z0-9_-]{16}$/) });
    fc.assert(
      fc.property(at, (cursor) => {
        expect(readCursor(writeCursor(cursor as Order))).toEqual(cursor);
      }),
    );
  });

  test('is null for every other text', () => {
    const id = 'A'.repeat(22);
    for (const text of [
      '',
      '.',
      `.${id}`,
      '1.',
      `01.${id}`,
      `-1.${id}`,
      `1e3.${id}`,
      `9007199254740993.${id}`,
      `1.${id} `,
    ]) {
      expect(readCursor(text), text).toBeNull();
    }
  });
});
