/** Entries of a queue as its gate writes them. What is not one is told apart, and nothing is made of it. */
import { isUnitCount } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { Claim } from '../../domain/order/claim.ts';
import type { QueueEntry } from '../../ports/queue.ts';
import { readOrigin, readPosition, readWord, writePosition } from './marks.ts';

/** As the scripts tell it: with ranges of its claims, counted from 1, when not all of them are given. */
export type Entry = readonly [id: string, fields: readonly string[], ...ranges: number[]];

export interface EntriesRead {
  readonly entries: readonly QueueEntry[];
  /** Ids of those that are none of any claim. */
  readonly unreadable: readonly string[];
}

/** Far above what a gate writes: ids are bounded where they come in. */
const MAX_WORD = 4_096;

const POSITION = /^\d{1,15}-\d{1,15}$/;

export function readEntries(segment: SegmentKey, all: readonly Entry[]): EntriesRead {
  const entries: QueueEntry[] = [];
  const unreadable: string[] = [];
  for (const each of all) {
    const [id, fields, ...ranges] = each;
    const claims = readEntry(segment, id, fields);
    if (claims) entries.push(...given(claims, ranges));
    else unreadable.push(id);
  }
  return { entries, unreadable };
}

function given(claims: readonly QueueEntry[], ranges: readonly number[]): readonly QueueEntry[] {
  if (ranges.length === 0) return claims;
  const some: QueueEntry[] = [];
  for (let at = 0; at + 1 < ranges.length; at += 2) some.push(...claims.slice((ranges[at] ?? 1) - 1, ranges[at + 1]));
  return some;
}

/** One of one claim as lua/bury.lua keeps it: its fields with spaces between them, cut off where it is long. */
const BURIED = /^o (\S+) b (.+) (\d+ \S+) (\d+)(?: p (\S+))?$/s;
const CUT_OFF_AT = 2_000;

/**
 * The claim of an entry that could not be read when it was buried; null when it still cannot, and when it was of several: those
 * come back from their marks.
 */
export function readBuried(segment: SegmentKey, id: string, text: string): Claim | null {
  const [, orderId, buyer, what, claimedAt, position] = BURIED.exec(text) ?? [];
  if (text.length >= CUT_OFF_AT || orderId === undefined) return null;
  const fields = ['o', orderId, 'b', buyer ?? '', what ?? '', claimedAt ?? ''];
  const claims = readEntry(segment, id, position === undefined ? fields : [...fields, 'p', position]);
  return claims?.[0]?.claim ?? null;
}

/** What the fields are says lua/shared/entries.lua. Null: it is none, or a claim of it is none. */
function readEntry(segment: SegmentKey, id: string, fields: readonly string[]): readonly QueueEntry[] | null {
  const part = new Map<string, string>();
  const runs: Run[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = [fields[at], fields[at + 1]];
    const [units = '', channel] = name.split(' ');
    if (channel === undefined) part.set(name, value);
    else runs.push({ units, channel, value });
  }
  const written = part.has('orders') ? ofSeveral(id, part, runs) : ofOne(id, part, runs.at(-1));
  const entries: QueueEntry[] = [];
  for (const each of written ?? []) {
    const entry = entryOf(segment, each);
    if (!entry) return null;
    entries.push(entry);
  }
  return written && entries;
}

interface Run {
  readonly units: string;
  readonly channel: string;
  readonly value: string;
}

/** A claim as an entry holds it. */
interface Written {
  readonly orderId: string;
  readonly buyerId: string;
  readonly units: string;
  readonly channel: string;
  readonly position: string;
  readonly claimedAt: string;
}

function ofOne(id: string, part: ReadonlyMap<string, string>, run: Run | undefined): readonly Written[] | null {
  if (!run) return null;
  const { units, channel, value: claimedAt } = run;
  const [orderId = '', buyerId = '', position = id] = [part.get('o'), part.get('b'), part.get('p')];
  return [{ orderId, buyerId, units, channel, position, claimedAt }];
}

function ofSeveral(id: string, part: ReadonlyMap<string, string>, runs: readonly Run[]): readonly Written[] | null {
  const [orderIds, buyerIds] = [listOf(part.get('orders')), listOf(part.get('buyers'))];
  const [size, claimedAt = ''] = [orderIds.length, part.get('at')];
  const sizes = runs.map(({ value }) => Number(value));
  const areLengths = sizes.every((length) => isUnitCount(length) && length > 0);
  const total = sizes.reduce((sum, length) => sum + length, 0);
  if (!POSITION.test(id) || !areLengths || total !== size || buyerIds.length !== size) return null;
  const { epoch, seq } = readPosition(id);
  if (seq < size) return null;
  const written: Written[] = [];
  for (const { units, channel, value } of runs) {
    for (let left = Number(value); left > 0; left -= 1) {
      const [orderId = '', buyerId = ''] = [orderIds[written.length], buyerIds[written.length]];
      const position = writePosition({ epoch, seq: seq - size + written.length + 1 });
      written.push({ orderId, buyerId, units, channel, position, claimedAt });
    }
  }
  return written;
}

function entryOf(segment: SegmentKey, written: Written): QueueEntry | null {
  const { orderId: o, buyerId, units: u, channel, position, claimedAt } = written;
  const [units, claimedAtMs] = [Number(u), Number(claimedAt)];
  const areWords = [o, buyerId, channel].every((word) => word !== '' && word.length <= MAX_WORD);
  const areFigures = isUnitCount(units) && units > 0 && claimedAt !== '' && isUnitCount(claimedAtMs);
  if (!areWords || !areFigures || !POSITION.test(position)) return null;
  const orderId = wordOrNull(o);
  if (orderId === null || wordOrNull(channel) === null) return null;
  const origin = readOrigin(segment, position, channel);
  return { claim: { orderId, saleId: segment.saleId, buyerId, units, origin }, claimedAtMs };
}

/** Empty when it is none of texts. */
function listOf(json: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(json ?? '');
    return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function wordOrNull(word: string): string | null {
  try {
    return readWord(word);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
