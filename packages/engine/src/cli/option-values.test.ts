import { describe, expect, test } from 'vitest';
import { duration, instant, share, wholeNumber } from './option-values.ts';

describe('values of options', () => {
  test('durations', () => {
    expect(['90s', '15m', '2h', '30d'].map(duration)).toEqual([90_000, 900_000, 7_200_000, 2_592_000_000]);
    for (const text of ['', '15', 'm', '-1m', '1.5h', '1w', ' 1m'])
      expect(() => duration(text), text).toThrow(/duration/);
  });

  test('instants', () => {
    expect(instant('2026-11-11T10:00:00+08:00')).toBe(Date.UTC(2026, 10, 11, 2));
    expect(instant('2026-11-11T10:00Z')).toBe(Date.UTC(2026, 10, 11, 10));
    const before = Date.now();
    expect(instant('+10m') - instant('now')).toBeGreaterThanOrEqual(600_000 - (Date.now() - before) - 1);
    const wrong = [
      '',
      '2026-11-11',
      '2026-11-11T10:00:00',
      '2026-13-11T10:00:00Z',
      '+',
      '+10',
      '10m',
      'tomorrow',
      '1790000000000',
    ];
    for (const text of wrong) expect(() => instant(text), text).toThrow();
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
