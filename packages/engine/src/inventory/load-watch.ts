/**
 * Loads that somebody may have under way, where several processes keep the sales of one gate. Whoever opens an epoch loads it
 * before its call is due. To open another one meanwhile would cut off what the gate sells once that load has arrived: wins that
 * were answered. So an epoch is left alone until its load has been seen, has failed, or can no longer move anything.
 */

import { type SegmentKey, segmentName } from '../domain/inventory/quota.ts';
import type { SegmentRecord } from '../domain/ledger/epoch.ts';
import type { Clock } from '../ports/clock.ts';
import { GATE_CALL_MS } from './gate-session.ts';

export interface LoadWatch {
  /** The load of this epoch has arrived, or was refused: none is under way any more. */
  ended(segment: SegmentKey, epoch: number): void;
  mayBeUnderWay(segment: SegmentRecord): boolean;
}

/** Our reading of the gate's clock and another's differ by less. */
const CLOCK_MARGIN_MS = 500;

export function createLoadWatch(clock: Clock): LoadWatch {
  // Bounded by the segments that exist.
  const known = new Map<string, { readonly epoch: number; readonly dueMs: number }>();
  return {
    ended(segment, epoch) {
      known.set(segmentName(segment), { epoch, dueMs: Number.NEGATIVE_INFINITY });
    },
    mayBeUnderWay(segment) {
      // Nobody has opened the first one yet.
      if (segment.epoch === 0) return false;
      const nowMs = clock.monotonicMs();
      const seen = known.get(segmentName(segment));
      if (seen?.epoch === segment.epoch) return nowMs < seen.dueMs;
      // Its call was opened before the epoch was, and so before now.
      known.set(segmentName(segment), { epoch: segment.epoch, dueMs: nowMs + GATE_CALL_MS + CLOCK_MARGIN_MS });
      return true;
    },
  };
}
