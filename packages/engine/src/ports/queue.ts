/**
 * The queue between gate and ledger. Entries are put in by the gate itself, in the step that takes the units; there is no
 * way to put one in from here. An entry stays until it is removed by name: one that was read and not removed is read again.
 */
import type { SegmentKey } from '../domain/inventory/quota.ts';
import type { Claim } from '../domain/order/claim.ts';

export interface QueueEntry {
  readonly claim: Claim;
  /** Milliseconds since 1970 by the gate's clock. */
  readonly claimedAtMs: number;
}

export interface QueueDepth {
  readonly entries: number;
  /** Null when empty. */
  readonly oldestAgeMs: number | null;
}

/** What lies in a queue and is none of its gate's: somebody else's, or damaged. It may have been several claims. */
export interface UnreadEntry {
  readonly segment: SegmentKey;
  /** Of the entry, in its queue. */
  readonly id: string;
  /** The beginning of what it says. */
  readonly text: string;
}

export interface Queue {
  /**
   * Up to `max` entries in order per segment: new ones, and those whose reader has been silent for `TAKE_OVER_AFTER_MS`.
   * At least once: a slow reader's entries may be read by another. `isWanted`: of which segments; of all when not given.
   */
  read(consumer: string, max: number, isWanted?: (segment: SegmentKey) => boolean): Promise<readonly QueueEntry[]>;

  /**
   * Entries that could not be read. They are out of the way of others, and kept until they are forgotten. A claim that
   * was in one of them is unsettled and has no entry any more: it is found as such, and queued again.
   */
  unread(): Promise<readonly UnreadEntry[]>;

  /** Whoever calls has put them aside for good. */
  forget(unread: readonly UnreadEntry[]): Promise<void>;

  /** The claim that an unread entry is, now that it can be read; null when it still cannot, or was several. */
  readAgain(unread: UnreadEntry): Claim | null;

  /** Acknowledges and deletes the named entries; ones that are gone are ignored. */
  remove(claims: readonly Claim[]): Promise<void>;

  /** Every entry of one segment, read or not. */
  peek(segment: SegmentKey): Promise<readonly QueueEntry[]>;

  /** Their sale is settled: those that hold nothing are not looked at any more, cost nothing, and may be gone some time later. */
  retire(segments: readonly SegmentKey[]): Promise<void>;

  depth(): Promise<QueueDepth>;

  /** Calls `listener` when there may be something to read; the returned function ends it. A hint, not a promise. */
  onArrival(listener: () => void): () => void;
}

/**
 * A reader that has been silent for longer is thought dead. Taking over from one that is only slow changes nothing, and what a
 * dead one had in hand must be settled before intake ends because the queue is old (`maxQueueAgeMs`).
 */
export const TAKE_OVER_AFTER_MS = 3_000;
