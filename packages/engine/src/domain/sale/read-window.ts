/**
 * Reads the window of a sale as an operator writes it: each end as milliseconds, as an instant with its offset, or as a time
 * that the clocks of the sale's zone show. A time that means no instant or two is refused, with what could be meant.
 */
import { instantOf, isTimeZone, showIn } from './zoned-time.ts';

export interface WindowWish {
  readonly startsAtMs?: number;
  readonly endsAtMs?: number;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly timeZone?: string;
}

/** What was said of it, and no more. */
export interface SaidWindow {
  readonly startsAtMs?: number;
  readonly endsAtMs?: number;
  readonly timeZone?: string;
}

export type WindowReading =
  | { readonly kind: 'window'; readonly window: SaidWindow }
  | { readonly kind: 'mistake'; readonly sentence: string };

/** `zone`: the sale's, when the wish names none. */
export function readWindow(wish: WindowWish, zone: string): WindowReading {
  const { timeZone } = wish;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return mistake(`timeZone ${timeZone} is not known here; it is an IANA name such as Asia/Shanghai.`);
  }
  const start = readEnd('startsAt', { atMs: wish.startsAtMs, text: wish.startsAt }, timeZone ?? zone);
  if (start.kind === 'mistake') return start;
  const end = readEnd('endsAt', { atMs: wish.endsAtMs, text: wish.endsAt }, timeZone ?? zone);
  if (end.kind === 'mistake') return end;
  return {
    kind: 'window',
    window: {
      ...(start.atMs !== undefined && { startsAtMs: start.atMs }),
      ...(end.atMs !== undefined && { endsAtMs: end.atMs }),
      ...(timeZone !== undefined && { timeZone }),
    },
  };
}

interface EndWish {
  readonly atMs: number | undefined;
  readonly text: string | undefined;
}

type EndReading =
  | { readonly kind: 'read'; readonly atMs: number | undefined }
  | { readonly kind: 'mistake'; readonly sentence: string };

function readEnd(name: 'startsAt' | 'endsAt', { atMs, text }: EndWish, zone: string): EndReading {
  if (text === undefined) return { kind: 'read', atMs };
  if (atMs !== undefined) return mistake(`Say ${name} or ${name}Ms, not both.`);
  const result = instantOf(text, zone);
  switch (result.kind) {
    case 'instant':
      return result.atMs < 0 ? mistake(`${name} ${text} is before 1970.`) : { kind: 'read', atMs: result.atMs };
    case 'twice': {
      const [earlier, later] = [showIn(zone, result.earlierMs), showIn(zone, result.laterMs)];
      return mistake(`${name} ${text} comes twice in ${zone}; say which is meant: ${earlier} or ${later}.`);
    }
    case 'skipped': {
      const [before, after] = [showIn(zone, result.beforeMs), showIn(zone, result.afterMs)];
      return mistake(`${name} ${text} never comes in ${zone}: its clocks jump over it; say ${before} or ${after}.`);
    }
    case 'malformed':
      return mistake(`${name} ${text} is no time; it is written 2026-11-01T01:30 or 2026-11-01T01:30:00-04:00.`);
    case 'unknown_zone':
      return mistake(`timeZone ${zone} is not known here.`);
  }
}

function mistake(sentence: string): { readonly kind: 'mistake'; readonly sentence: string } {
  return { kind: 'mistake', sentence };
}
