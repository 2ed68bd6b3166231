/** Entries of a queue as its gate writes them. What is not one is told apart, and nothing is made of it. */
import { isUnitCount } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { Claim } from '../../domain/order/claim.ts';
import type { QueueEntry } from '../../ports/queue.ts';
import { readOrigin, readWord } from './marks.ts';

export type Entry = readonly [id: string, fields: readonly string[]];

export interface EntriesRead {
  readonly entries: readonly QueueEntry[];
  /** Ids of those that are none of a claim. */
  readonly unreadable: readonly string[];
}

/** Far above what a gate writes: ids are bounded where they come in. */
const MAX_WORD = 4_096;

const POSITION = /^\d{1,15}-\d{1,15}$/;

export function readEntries(segment: SegmentKey, all: readonly Entry[]): EntriesRead {
  const entries: QueueEntry[] = [];
  const unreadable: string[] = [];
  for (const each of all) {
    const entry = readEntry(segment, each);
    if (entry) entries.push(entry);
    else unreadable.push(each[0]);
  }
  return { entries, unreadable };
}

/** As lua/bury.lua keeps one: its fields with spaces between them, cut off where it is long. */
const BURIED = /^o (\S+) b (.+) (\d+ \S+) (\d+)(?: p (\S+))?$/s;
const CUT_OFF_AT = 2_000;

/** The claim of an entry that could not be read when it was buried; null when it still cannot. */
export function readBuried(segment: SegmentKey, id: string, text: string): Claim | null {
  const [, orderId, buyer, what, claimedAt, position] = BURIED.exec(text) ?? [];
  if (text.length >= CUT_OFF_AT || orderId === undefined) return null;
  const fields = ['o', orderId, 'b', buyer ?? '', what ?? '', claimedAt ?? ''];
  const entry = readEntry(segment, [id, position === undefined ? fields : [...fields, 'p', position]]);
  return entry?.claim ?? null;
}

/** What the fields are says lua/shared/entries.lua. */
function readEntry(segment: SegmentKey, [id, fields]: Entry): QueueEntry | null {
  const part: Record<string, string> = {};
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? '';
    const value = fields[at + 1] ?? '';
    const [units = '', channel] = name.split(' ');
    if (channel === undefined) part[name] = value;
    else Object.assign(part, { u: units, q: channel, t: value });
  }
  const { o = '', b = '', u = '', q = '', t = '', p = id } = part;
  const units = Number(u);
  const claimedAtMs = Number(t);
  const areWords = [o, b, q].every((word) => word !== '' && word.length <= MAX_WORD);
  const areFigures = POSITION.test(p) && isUnitCount(units) && units > 0 && t !== '' && isUnitCount(claimedAtMs);
  if (!areWords || !areFigures) return null;
  const orderId = wordOrNull(o);
  if (orderId === null || wordOrNull(q) === null) return null;
  const origin = readOrigin(segment, p, q);
  return { claim: { orderId, saleId: segment.saleId, buyerId: b, units, origin }, claimedAtMs };
}

function wordOrNull(word: string): string | null {
  try {
    return readWord(word);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
