import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { createRequestLimits, NO_RATES, type Rates } from './request-limits.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const one = { perSecond: 1, burst: 1 };
const many = { perSecond: 1_000, burst: 1_000 };

function newLimits(rates: Partial<Rates>) {
  const clock = createManualClock(0);
  return { clock, limits: createRequestLimits(clock, { ...NO_RATES, ...rates }) };
}

const ann = { address: '10.0.0.1', saleId: 'skin' };
const bob = { address: '10.0.0.2', saleId: 'skin' };

describe('request limits', () => {
  it('let everything through when they are off, and remember nothing', () => {
    const { limits } = newLimits({});
    for (let call = 0; call < 1_000; call++) {
      expect(limits.enter(ann)).toBeNull();
      expect(limits.enterAs('ann', ann)).toBeNull();
    }
    expect(limits.keyCounts()).toEqual({ address: 0, account: 0, sale: 0, node: 0 });
  });

  it('name the limit that was met, and how long to wait', () => {
    const { limits } = newLimits({ address: one, sale: { perSecond: 2, burst: 2 } });
    expect(limits.enter(ann)).toBeNull();
    expect(limits.enter(ann)).toMatchObject({ limit: 'address', waitMs: 1_000 });
    expect(limits.enter(bob)).toBeNull();
    expect(limits.enter({ ...bob, address: '10.0.0.3' })).toMatchObject({ limit: 'sale', waitMs: 500 });
    expect(limits.enter({ address: '10.0.0.3', saleId: 'other' })).toBeNull();
  });

  it('take nothing of an earlier limit when a later one refuses', () => {
    const { limits, clock } = newLimits({ address: { perSecond: 0.001, burst: 3 }, node: one });
    expect(limits.enter(ann)).toBeNull();
    for (let call = 0; call < 100; call++) expect(limits.enter(ann)).toMatchObject({ limit: 'node' });
    clock.advance(1_000);
    expect(limits.enter(ann)).toBeNull();
    clock.advance(1_000);
    expect(limits.enter(ann)).toBeNull();
    clock.advance(1_000);
    expect(limits.enter(ann)).toMatchObject({ limit: 'address' });
  });

  it('take nothing of address, sale and node when the account is refused', () => {
    const slow = { perSecond: 0.001, burst: 2 };
    const { limits } = newLimits({ address: slow, sale: slow, node: slow, account: one });
    expect(limits.enter(ann)).toBeNull();
    expect(limits.enterAs('ann', ann)).toBeNull();
    for (let call = 0; call < 100; call++) {
      expect(limits.enter(ann)).toBeNull();
      expect(limits.enterAs('ann', ann)).toMatchObject({ limit: 'account' });
    }
    expect(limits.enter(ann)).toBeNull();
    expect(limits.enterAs('bob', ann)).toBeNull();
    expect(limits.enter(ann)).toMatchObject({ limit: 'address' });
  });

  it('count readers against their address only', () => {
    const { limits } = newLimits({ address: many, sale: one, node: one });
    expect(limits.enter(ann)).toBeNull();
    expect(limits.enter(bob)).not.toBeNull();
    for (let call = 0; call < 500; call++) expect(limits.enter({ ...bob, saleId: null })).toBeNull();
  });

  it('hold every limit at once, whoever calls and whatever the wall clock does', () => {
    const call = fc.record({ waitMs: fc.nat(300), stepMs: fc.integer({ min: -1e7, max: 1e7 }), who: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
        const rates = {
          address: { perSecond: 3, burst: 2 },
          account: { perSecond: 2, burst: 3 },
          node: { perSecond: 5, burst: 5 },
        };
        const { limits, clock } = newLimits(rates);
        const through = new Map<string, number>();
        for (const { waitMs, stepMs, who } of calls) {
          clock.advance(waitMs);
          clock.step(stepMs);
          const caller = { address: `address ${who % 2}`, saleId: 'skin' };
          const buyer = `account ${who % 3}`;
          if (limits.enter(caller) || limits.enterAs(buyer, caller)) continue;
          for (const key of [caller.address, buyer, 'node']) through.set(key, (through.get(key) ?? 0) + 1);
          for (const [key, count] of through) {
            const rate = rates[key.split(' ')[0] as keyof typeof rates];
            expect(count).toBeLessThanOrEqual(rate.burst + (rate.perSecond * clock.monotonicMs()) / 1_000 + 1e-6);
          }
        }
      }),
    );
  });

  it('stay small under a million addresses (S9)', () => {
    const { limits } = newLimits({ address: { perSecond: 100, burst: 400 } });
    const before = heapBytes();
    for (let index = 0; index < 1_000_000; index++) {
      limits.enter({ address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, saleId: null });
    }
    expect(limits.keyCounts().address).toBeLessThanOrEqual(100_000);
    expect(heapBytes() - before).toBeLessThan(64 * 1_024 * 1_024);
  });
});
