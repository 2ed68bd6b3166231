import { describe, expect, test } from 'vitest';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { loadConfig } from '../config/load.ts';
import { createRequestLimits } from '../funnel/gateway/request-limits.ts';
import { ratesOf } from './rates-of.ts';

function defaults() {
  const result = loadConfig({ env: {}, file: null, flags: {} });
  if (result.kind === 'mistaken') throw new Error('the defaults are mistaken');
  return result.settings;
}

describe('the rates of the settings', () => {
  test('are read as they are written; 0 is no limit', () => {
    const rates = ratesOf({ addressRate: '1/2', accountRate: '0', saleRate: '30/40', nodeRate: '0' });
    expect(rates).toEqual({
      account: null,
      node: null,
      address: { perSecond: 1, burst: 2 },
      sale: { perSecond: 30, burst: 40 },
    });
  });

  test('let 5,000 buyers a second with addresses of their own ask for a token and click twice, by default', () => {
    const clock = createManualClock(0);
    const limits = createRequestLimits(clock, ratesOf(defaults()));
    let refused = 0;
    for (let buyer = 0; buyer < 50_000; buyer++) {
      if (buyer % 50 === 49) clock.advance(10);
      const caller = { address: `10.0.${buyer >> 8}.${buyer & 255}`, saleId: 'skin' };
      for (let call = 0; call < 3; call++) if (limits.enter(caller) ?? limits.enterAs(`b${buyer}`, caller)) refused++;
    }
    expect(refused).toBe(0);
  });

  test('let sixty people behind one address look, ask for a token, click twice and read their order at once, by default', () => {
    const limits = createRequestLimits(createManualClock(0), ratesOf(defaults()));
    for (let buyer = 0; buyer < 60; buyer++) {
      for (const saleId of [null, null, 'skin', 'skin', 'skin', null]) {
        const caller = { address: '203.0.113.7', saleId };
        expect(limits.enter(caller) ?? limits.enterAs(`b${buyer}`, caller)).toBeNull();
      }
    }
  });
});
