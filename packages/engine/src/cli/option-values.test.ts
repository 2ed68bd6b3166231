import { describe, expect, test } from 'vitest';
import { duration, item, moment, price, share, wholeNumber } from './option-values.ts';

describe('values of options', () => {
  test('durations', () => {
    expect(['90s', '15m', '2h', '30d'].map(duration)).toEqual([90_000, 900_000, 7_200_000, 2_592_000_000]);
    for (const text of ['', '15', 'm', '-1m', '1.5h', '1w', ' 1m'])
      expect(() => duration(text), text).toThrow(/duration/);
  });

  test('moments: what the clocks of a zone show is left to who knows the zone', () => {
    for (const text of ['2026-11-11T10:00:00+08:00', '2026-11-11T10:00Z', '2026-11-11T10:00', '2026-11-01T01:30:00'])
      expect(moment(text)).toBe(text);
    const before = Date.now();
    expect(Number(moment('+10m')) - Number(moment('now'))).toBeGreaterThanOrEqual(600_000 - (Date.now() - before) - 1);
    const wrong = ['', '2026-11-11', '2026-13-11T10:00:00Z', '+', '+10', '10m', 'tomorrow', '1790000000000'];
    for (const text of wrong) expect(() => moment(text), text).toThrow();
  });

  test('prices and items', () => {
    expect(price('4900 CNY')).toEqual({ amount: 4_900, currency: 'CNY' });
    expect(price('60 points')).toEqual({ points: 60 });
    for (const text of [
      '',
      '4900',
      'CNY',
      '0 CNY',
      '49.00 CNY',
      '-1 CNY',
      '4900 cny',
      '4900 yuan',
      '9999999999999999 CNY',
    ])
      expect(() => price(text), text).toThrow();
    expect(item('a:b', item('potion:5', item('sword')))).toEqual([
      { itemId: 'sword', quantity: 1 },
      { itemId: 'potion', quantity: 5 },
      { itemId: 'a:b', quantity: 1 },
    ]);
    for (const text of ['', 'potion:0']) expect(() => item(text), text).toThrow();
  });

  test('whole numbers and shares', () => {
    expect(wholeNumber(0)('0')).toBe(0);
    for (const text of ['', '0', '-1', '1.5', '1e3', '0x10', '99999999999999999999', 'x']) {
      expect(() => wholeNumber(1)(text), text).toThrow(/at least 1/);
    }
    expect(['0', '0.25', '1'].map(share)).toEqual([0, 0.25, 1]);
    for (const text of ['', ' ', '-0.1', '1.1', 'NaN', 'x']) expect(() => share(text), text).toThrow(/share/);
  });
});
