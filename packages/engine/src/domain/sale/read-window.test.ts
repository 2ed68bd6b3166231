import { describe, expect, test } from 'vitest';
import { readWindow } from './read-window.ts';

const NEW_YORK = 'America/New_York';

describe('the window of a sale', () => {
  test('is read in the zone that is named, else in the one that the sale has', () => {
    const startsAt = '2026-11-11T10:00';
    expect(readWindow({ startsAt }, 'UTC')).toEqual({
      kind: 'window',
      window: { startsAtMs: Date.parse('2026-11-11T10:00:00Z') },
    });
    expect(readWindow({ startsAt, timeZone: 'Asia/Shanghai' }, 'UTC')).toEqual({
      kind: 'window',
      window: { startsAtMs: Date.parse('2026-11-11T10:00:00+08:00'), timeZone: 'Asia/Shanghai' },
    });
    expect(readWindow({ startsAtMs: 1, endsAtMs: 2 }, NEW_YORK)).toEqual({
      kind: 'window',
      window: { startsAtMs: 1, endsAtMs: 2 },
    });
  });

  test.each([
    ['2026-11-01T01:30', ['twice', '2026-11-01T01:30:00-04:00', '2026-11-01T01:30:00-05:00']],
    ['2026-03-08T02:30', ['never', '2026-03-08T01:30:00-05:00', '2026-03-08T03:30:00-04:00']],
  ])('is not guessed from %s in New York: the sentence says what can be meant (K36)', (startsAt, parts) => {
    const reading = readWindow({ startsAt, timeZone: NEW_YORK }, 'UTC');
    expect(reading.kind).toBe('mistake');
    for (const part of parts) expect(reading).toMatchObject({ sentence: expect.stringContaining(part) });
    const [, first = '', second = ''] = parts;
    for (const endsAt of [first, second]) {
      expect(readWindow({ endsAt }, NEW_YORK)).toEqual({ kind: 'window', window: { endsAtMs: Date.parse(endsAt) } });
    }
  });

  test.each([
    [{ timeZone: 'Mars/Olympus' }, 'Mars/Olympus'],
    [{ startsAt: 'soon' }, 'startsAt soon'],
    [{ endsAt: '2026-11-11T10:00', endsAtMs: 1 }, 'not both'],
  ])('is refused with a sentence: %j', (wish, part) => {
    expect(readWindow(wish, 'UTC')).toMatchObject({ kind: 'mistake', sentence: expect.stringContaining(part) });
  });
});
