import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balancesOf } from './balance.ts';
import { ACCOUNTS, type Entry } from './entry.ts';

const quota = { saleId: 'sale', region: 'main', segment: 0, channel: 'web' };
const entry = (from: Entry['from'], to: Entry['to'], units: number, changes: Partial<Entry> = {}): Entry => ({
  saleId: 'sale',
  quota,
  from,
  to,
  units,
  cause: 'move',
  causeId: 'id',
  ...changes,
});

describe('balances', () => {
  test('of nothing are zero', () => {
    const { sale, quotas } = balancesOf([]);
    expect(Object.keys(sale)).toEqual(ACCOUNTS);
    expect(Object.values(sale).every((units) => units === 0)).toBe(true);
    expect(quotas.size).toBe(0);
  });

  test('follow units from outside to the buyer', () => {
    const { sale, quotas } = balancesOf([
      entry('outside', 'free', 10, { quota: null, cause: 'stock' }),
      entry('free', 'inTransit', 4),
      entry('inTransit', 'atGate', 4),
      entry('atGate', 'held', 2, { cause: 'order' }),
      entry('held', 'sold', 1, { cause: 'order' }),
      entry('free', 'inTransit', 3, { quota: { ...quota, channel: 'app' } }),
    ]);
    expect(sale).toEqual({ outside: -10, free: 3, inTransit: 3, atGate: 2, held: 1, sold: 1, quarantined: 0 });
    expect(quotas.get('sale/main/0/web')).toMatchObject({ free: -4, inTransit: 0, atGate: 2, held: 1, sold: 1 });
    expect(quotas.get('sale/main/0/app')).toMatchObject({ free: -3, inTransit: 3 });
  });

  test('law: sum to zero, of the sale and of every quota, whatever the entries', () => {
    const account = fc.constantFrom(...ACCOUNTS);
    const anyEntry = fc
      .tuple(account, account, fc.integer({ min: 1, max: 10 ** 9 }), fc.constantFrom(null, 'web', 'app'))
      .map(([from, to, units, channel]) =>
        entry(from, to, units, { quota: channel === null ? null : { ...quota, channel } }),
      );
    fc.assert(
      fc.property(fc.array(anyEntry), (entries) => {
        const { sale, quotas } = balancesOf(entries);
        for (const balance of [sale, ...quotas.values()]) {
          expect(Object.values(balance).reduce((sum, units) => sum + units, 0)).toBe(0);
        }
      }),
    );
  });
});
