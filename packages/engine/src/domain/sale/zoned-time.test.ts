import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf, isTimeZone, showIn } from './zoned-time.ts';

describe('a local time', () => {
  test('that the clocks run through twice is not guessed (K36)', () => {
    const result = instantOf('2026-11-01T01:30', 'America/New_York');
    expect(result).toEqual({
      kind: 'twice',
      earlierMs: Date.parse('2026-11-01T01:30:00-04:00'),
      laterMs: Date.parse('2026-11-01T01:30:00-05:00'),
    });
  });

  test('that the clocks skip is not guessed (K36)', () => {
    expect(instantOf('2026-03-08T02:30', 'America/New_York')).toEqual({
      kind: 'skipped',
      beforeMs: Date.parse('2026-03-08T01:30:00-05:00'),
      afterMs: Date.parse('2026-03-08T03:30:00-04:00'),
    });
    expect(instantOf('2026-03-29T02:30', 'Europe/Berlin')).toMatchObject({ kind: 'skipped' });
  });

  test('is one instant otherwise, whatever the zone', () => {
    for (const [local, zone, instant] of [
      ['2026-11-11T00:00', 'Asia/Shanghai', '2026-11-10T16:00:00Z'],
      ['2026-07-01T12:00:30', 'Europe/Berlin', '2026-07-01T10:00:30Z'],
      ['2026-01-01T00:00', 'Pacific/Kiritimati', '2025-12-31T10:00:00Z'],
      ['2026-01-01T00:00', 'Asia/Kathmandu', '2025-12-31T18:15:00Z'],
      ['2024-02-29T23:59', 'UTC', '2024-02-29T23:59:00Z'],
    ] as const) {
      expect(instantOf(local, zone)).toEqual({ kind: 'instant', atMs: Date.parse(instant) });
    }
  });

  test('that is none is refused', () => {
    for (const local of [
      '2026-06-31T00:00',
      '2025-02-29T00:00',
      '2026-13-01T00:00',
      '2026-01-01T24:00',
      '2026-01-01',
      'soon',
      '1969-01-01T00:00',
      '2026-01-01T00:00+19:00',
      '0000-01-01T00:00Z',
    ]) {
      expect(instantOf(local, 'UTC')).toEqual({ kind: 'malformed' });
    }
    expect(instantOf('2026-01-01T00:00', 'Mars/Olympus')).toEqual({ kind: 'unknown_zone' });
    expect(isTimeZone('Europe/Paris')).toBe(true);
    expect(isTimeZone('+08:00')).toBe(false);
  });

  test('with an offset is that instant, whatever the zone and the season', () => {
    for (const text of [
      '2026-11-01T01:30:00-04:00',
      '2026-11-01T01:30-05:00',
      '2026-03-08T02:30Z',
      '2026-07-01T00:00+05:45',
    ]) {
      expect(instantOf(text, 'America/New_York')).toEqual({ kind: 'instant', atMs: Date.parse(text) });
    }
  });

  test('shown of an instant is that instant again', () => {
    const zones = fc.constantFrom('UTC', 'Asia/Shanghai', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), zones, (seconds, zone) => {
        const shown = showIn(zone, seconds * 1_000);
        expect(Date.parse(shown)).toBe(seconds * 1_000);
        const result = instantOf(shown.slice(0, 19), zone);
        const instants =
          result.kind === 'twice' ? [result.earlierMs, result.laterMs] : [result.kind === 'instant' && result.atMs];
        expect(instants).toContain(seconds * 1_000);
      }),
    );
  });
});
