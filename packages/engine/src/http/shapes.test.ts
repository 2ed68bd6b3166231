import { ORDER_PARAMS, SALE_PARAMS } from '@sluice/contract';
import fc from 'fast-check';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { createIdSource } from '../adapters/system/ids.ts';
import { isSaleId } from '../domain/ids.ts';

describe('the ids of the contract', () => {
  it('are those of the domain: sales', () => {
    const likely = fc.string({
      unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', '.', '/', '\n', ' ', '界'),
      maxLength: 70,
    });
    fc.assert(
      fc.property(fc.oneof(likely, fc.string()), (saleId) => {
        expect(Value.Check(SALE_PARAMS, { saleId })).toBe(isSaleId(saleId));
      }),
    );
    for (const length of [0, 1, 63, 64, 65]) {
      expect(Value.Check(SALE_PARAMS, { saleId: 'a'.repeat(length) })).toBe(length > 0 && length <= 64);
    }
  });

  it('are those that are given out: orders', () => {
    const ids = createIdSource();
    for (let drawn = 0; drawn < 1_000; drawn++) expect(Value.Check(ORDER_PARAMS, { orderId: ids.newId() })).toBe(true);
  });
});
