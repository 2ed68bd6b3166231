/**
 * The queue in memory. What makes it a queue of the gate's own is `put`, which only the gate beside it is given.
 */
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import { segmentName } from '../../domain/inventory/quota.ts';
import { type Claim, segmentOf } from '../../domain/order/claim.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Queue, QueueEntry } from '../../ports/queue.ts';
import {
  createSegmentQueue,
  entriesOf,
  has,
  oldestOf,
  put,
  putAgain,
  removeByName,
  type SegmentQueue,
  takeInto,
} from './segment-queue.ts';

export interface MemoryQueue extends Queue {
  /** Entries of one segment, younger than all that it has. Cannot fail. */
  put(segment: SegmentKey, entries: readonly QueueEntry[]): void;
  /** An entry that was lost, in front of what is new; one that is there stays. */
  putAgain(entry: QueueEntry): void;
  has(claim: Claim): boolean;
  /** Forgets everything; who listens goes on listening. */
  lose(): void;
}

export function createMemoryQueue(clock: Clock): MemoryQueue {
  /** By segment name; only those that hold something, the one that was read last at the end. */
  const segments = new Map<string, SegmentQueue>();
  const listeners = new Set<() => void>();

  return {
    put(segment, entries) {
      const name = segmentName(segment);
      const queue = segments.get(name) ?? createSegmentQueue(segment);
      segments.set(name, queue);
      for (const entry of entries) put(queue, entry);
      for (const listener of listeners) listener();
    },

    putAgain(entry) {
      const segment = segmentOf(entry.claim);
      const name = segmentName(segment);
      const queue = segments.get(name) ?? createSegmentQueue(segment);
      segments.set(name, queue);
      putAgain(queue, entry);
      for (const listener of listeners) listener();
    },

    has(claim) {
      const queue = segments.get(segmentName(segmentOf(claim)));
      return queue !== undefined && has(queue, claim);
    },

    lose() {
      segments.clear();
    },

    // A lease belongs to the entry, not to its reader: a reader that lives but has dropped an entry gets it again.
    async read(_consumer, max, isWanted = () => true) {
      const read: QueueEntry[] = [];
      const monotonicMs = clock.monotonicMs();
      for (const [name, queue] of [...segments]) {
        if (read.length >= max) break;
        if (!isWanted(queue.key)) continue;
        takeInto(read, queue, max - read.length, monotonicMs);
        // The next read begins with the others, so that one busy segment cannot starve them.
        segments.delete(name);
        segments.set(name, queue);
      }
      return read;
    },

    // What the gate beside it puts in is what it is.
    unread: async () => [],
    readAgain: () => null,
    async forget() {},

    async remove(claims) {
      for (const claim of claims) {
        const name = segmentName(segmentOf(claim));
        const queue = segments.get(name);
        if (!queue) continue;
        removeByName(queue, claim);
        if (queue.size === 0) segments.delete(name);
      }
    },

    async peek(segment) {
      const queue = segments.get(segmentName(segment));
      return queue ? entriesOf(queue) : [];
    },

    // What holds nothing is not there.
    async retire() {},

    async depth() {
      let entries = 0;
      let oldestMs: number | null = null;
      for (const queue of segments.values()) {
        entries += queue.size;
        const claimedAtMs = oldestOf(queue)?.claimedAtMs ?? null;
        if (claimedAtMs !== null && (oldestMs === null || claimedAtMs < oldestMs)) oldestMs = claimedAtMs;
      }
      // The clock may have stepped back since.
      return { entries, oldestAgeMs: oldestMs === null ? null : Math.max(0, clock.nowMs() - oldestMs) };
    },

    onArrival(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
