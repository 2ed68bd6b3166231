/**
 * The entries of one segment. The gate puts them in by rising position, so the list is sorted by itself: a name is found by
 * halving, and neither an index nor a slot of its own is kept for an entry (a winner costs half the memory).
 */
import { invariant } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import { type Claim, comparePositions, isSameOrigin } from '../../domain/order/claim.ts';
import { type QueueEntry, TAKE_OVER_AFTER_MS } from '../../ports/queue.ts';

export interface SegmentQueue {
  readonly key: SegmentKey;
  /** Removed ones stay as holes until there are more holes than entries. */
  entries: QueueEntry[];
  /** Beside `entries`: UNREAD, REMOVED, or the monotonic time at which the entry may be read again. */
  leasedUntilMs: number[];
  /** Without the holes. */
  size: number;
  /** The oldest entry; only holes lie before it. */
  first: number;
  /** All before it were read once, so they are older than all that were not. */
  firstUnread: number;
  /** No lease ends before: a read need not look at what others are settling. */
  nextTakeOverMs: number;
}

const UNREAD = -1;
const REMOVED = -2;

/** Holes that are not worth a walk over the queue. */
const HOLES_ALLOWED = 1024;

export function createSegmentQueue(key: SegmentKey): SegmentQueue {
  return {
    key,
    entries: [],
    leasedUntilMs: [],
    size: 0,
    first: 0,
    firstUnread: 0,
    nextTakeOverMs: Number.POSITIVE_INFINITY,
  };
}

export function put(queue: SegmentQueue, entry: QueueEntry): void {
  queue.entries.push(entry);
  queue.leasedUntilMs.push(UNREAD);
  queue.size += 1;
}

/** Appends up to `max` entries to `into`: first those whose lease has ended, then new ones. */
export function takeInto(into: QueueEntry[], queue: SegmentQueue, max: number, monotonicMs: number): void {
  const fullLength = into.length + max;
  if (monotonicMs >= queue.nextTakeOverMs) takeOverInto(into, queue, fullLength, monotonicMs);
  for (; into.length < fullLength && queue.firstUnread < queue.entries.length; queue.firstUnread += 1) {
    if (queue.leasedUntilMs[queue.firstUnread] === UNREAD) into.push(lease(queue, queue.firstUnread, monotonicMs));
  }
}

function takeOverInto(into: QueueEntry[], queue: SegmentQueue, fullLength: number, monotonicMs: number): void {
  queue.nextTakeOverMs = Number.POSITIVE_INFINITY;
  for (let at = queue.first; at < queue.firstUnread; at += 1) {
    const untilMs = queue.leasedUntilMs[at];
    if (untilMs === undefined || untilMs === REMOVED) continue;
    if (untilMs <= monotonicMs && into.length < fullLength) into.push(lease(queue, at, monotonicMs));
    else queue.nextTakeOverMs = Math.min(queue.nextTakeOverMs, untilMs);
  }
}

function lease(queue: SegmentQueue, at: number, monotonicMs: number): QueueEntry {
  const entry = queue.entries[at];
  invariant(entry, 'what is leased is in the queue');
  const untilMs = monotonicMs + TAKE_OVER_AFTER_MS;
  queue.leasedUntilMs[at] = untilMs;
  queue.nextTakeOverMs = Math.min(queue.nextTakeOverMs, untilMs);
  return entry;
}

export function removeByName(queue: SegmentQueue, claim: Claim): void {
  const at = indexOf(queue, claim);
  if (at === null) return;
  queue.leasedUntilMs[at] = REMOVED;
  queue.size -= 1;
  while (queue.leasedUntilMs[queue.first] === REMOVED) queue.first += 1;
  if (queue.entries.length > 2 * queue.size + HOLES_ALLOWED) closeHoles(queue);
}

/** Null when it is not, or no longer, in the queue. */
function indexOf(queue: SegmentQueue, claim: Claim): number | null {
  let low = queue.first;
  let high = queue.entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = queue.entries[middle]?.claim;
    invariant(found, 'the list has no gaps');
    const order = comparePositions(found.origin, claim.origin);
    if (order < 0) low = middle + 1;
    else if (order > 0) high = middle - 1;
    else return isNamed(queue, middle, found, claim) ? middle : null;
  }
  return null;
}

/** A position tells a claim of a segment from all others; a name that differs in the rest names something else. */
function isNamed(queue: SegmentQueue, at: number, found: Claim, claim: Claim): boolean {
  return (
    queue.leasedUntilMs[at] !== REMOVED && found.orderId === claim.orderId && isSameOrigin(found.origin, claim.origin)
  );
}

function closeHoles(queue: SegmentQueue): void {
  const { entries, leasedUntilMs, firstUnread } = queue;
  queue.entries = [];
  queue.leasedUntilMs = [];
  queue.first = 0;
  for (let at = 0; at < entries.length; at += 1) {
    if (at === firstUnread) queue.firstUnread = queue.entries.length;
    const entry = entries[at];
    const untilMs = leasedUntilMs[at];
    if (!entry || untilMs === undefined || untilMs === REMOVED) continue;
    queue.entries.push(entry);
    queue.leasedUntilMs.push(untilMs);
  }
  if (firstUnread === entries.length) queue.firstUnread = queue.entries.length;
}

export function entriesOf(queue: SegmentQueue): QueueEntry[] {
  return queue.entries.filter((_entry, at) => queue.leasedUntilMs[at] !== REMOVED);
}

export function oldestOf(queue: SegmentQueue): QueueEntry | null {
  return queue.entries[queue.first] ?? null;
}
