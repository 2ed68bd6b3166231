/**
 * Wall-clock times of a named zone, and the instants they are. A sale's window is stored as instants with its zone; the
 * server's own zone plays no part. A local time may name no instant (the clocks skipped it) or two (they ran through it
 * twice); neither is guessed.
 */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:[0-5]\d)?$/;

/** What `Z` and offsets are: no zone is further away. */
const MAX_OFFSET_MS = 18 * 60 * MINUTE_MS;

export type ZonedResult =
  | { readonly kind: 'instant'; readonly atMs: number }
  /** The clocks skip this time: by as much before the jump, and after it, it would be these. */
  | { readonly kind: 'skipped'; readonly beforeMs: number; readonly afterMs: number }
  /** The clocks run through this time twice; earlier and later, milliseconds since 1970. */
  | { readonly kind: 'twice'; readonly earlierMs: number; readonly laterMs: number }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown_zone' };

export function isTimeZone(zone: string): boolean {
  // Offsets are no zones: they know nothing of summer.
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    // The one thing that Intl throws for here is a zone it does not know.
    return false;
  }
}

/** The instant of `2026-11-01T01:30` in an IANA zone, or of `2026-11-01T01:30:00-04:00` whatever the zone. */
export function instantOf(text: string, zone: string): ZonedResult {
  if (!isTimeZone(zone)) return { kind: 'unknown_zone' };
  const time = parse(text);
  if (time === null) return { kind: 'malformed' };
  const { asUtcMs, offsetMs } = time;
  // Days before 1970 are not stored; the first one of it is another day elsewhere.
  if (asUtcMs < -DAY_MS) return { kind: 'malformed' };
  if (offsetMs !== null) return { kind: 'instant', atMs: asUtcMs - offsetMs };

  // No zone is further from UTC than a day, and none changes twice within two.
  const offsets = [asUtcMs - DAY_MS, asUtcMs + DAY_MS].map((atMs) => offsetAt(atMs, zone));
  const instants = [...new Set(offsets)].map((each) => asUtcMs - each).sort((a, b) => a - b);
  const [earlierMs, laterMs] = instants.filter((atMs) => atMs + offsetAt(atMs, zone) === asUtcMs);
  if (earlierMs === undefined) {
    const [beforeMs = asUtcMs, afterMs = asUtcMs] = instants;
    return { kind: 'skipped', beforeMs, afterMs };
  }
  return laterMs === undefined ? { kind: 'instant', atMs: earlierMs } : { kind: 'twice', earlierMs, laterMs };
}

/** An instant as the zone's clocks show it: `2026-11-01T01:30:00-04:00`. Parts of a second are not shown. */
export function showIn(zone: string, atMs: number): string {
  const offsetMs = offsetAt(atMs, zone);
  const { year, month, day, hour, minute, second } = partsOf(atMs, zone);
  const offset = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  const sign = offsetMs < 0 ? '-' : '+';
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${sign}${two(Math.floor(offset / 60))}:${two(offset % 60)}`;
}

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** As if it were UTC, and the offset that it says; null when it names no time. */
function parse(text: string): { readonly asUtcMs: number; readonly offsetMs: number | null } | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const parts: Parts = { year, month, day, hour, minute, second };
  const asUtcMs = utcOf(parts);
  // A 31 June would come back as a 1 July.
  const isReal = JSON.stringify(partsOf(asUtcMs, 'UTC')) === JSON.stringify(parts);
  const offsetMs = offsetOf(match[7]);
  if (!isReal || (offsetMs !== null && Math.abs(offsetMs) > MAX_OFFSET_MS)) return null;
  return { asUtcMs, offsetMs };
}

function offsetOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4));
  return (text.startsWith('-') ? -minutes : minutes) * MINUTE_MS;
}

function offsetAt(atMs: number, zone: string): number {
  const wholeSecondMs = Math.floor(atMs / 1_000) * 1_000;
  return utcOf(partsOf(wholeSecondMs, zone)) - wholeSecondMs;
}

function partsOf(atMs: number, zone: string): Parts {
  const values = new Map(
    formatOf(zone)
      .formatToParts(atMs)
      .map((part) => [part.type, Number(part.value)]),
  );
  const value = (type: Intl.DateTimeFormatPartTypes) => values.get(type) ?? 0;
  return {
    year: value('year'),
    month: value('month'),
    day: value('day'),
    hour: value('hour'),
    minute: value('minute'),
    second: value('second'),
  };
}

/** Made once for each zone: making one costs a hundred times what using it does. The names are a closed list. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'iso8601', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  // Letters of either case name the same zone: only its own spelling is kept.
  if (format.resolvedOptions().timeZone === zone) formats.set(zone, format);
  return format;
}

/** Days from 1970 by the civil calendar; months counted from March, so that the leap day is the last of its year. */
function utcOf({ year, month, day, hour, minute, second }: Parts): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const days = era * 146_097 + dayOfEra - 719_468;
  return days * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1_000;
}
