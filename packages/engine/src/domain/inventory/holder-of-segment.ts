/**
 * Which of several workers has a segment: by rendezvous over those who are present, so that one who comes or goes changes only
 * what is his own.
 */
import { type SegmentKey, segmentName } from './quota.ts';
import { lotOf } from './rendezvous.ts';

/** Null: nobody is present. */
export function holderOfSegment(segment: SegmentKey, workers: readonly string[]): string | null {
  let holder: string | null = null;
  let highest = -1;
  for (const worker of workers) {
    const lot = lotOf(segmentName(segment), worker);
    if (lot <= highest) continue;
    holder = worker;
    highest = lot;
  }
  return holder;
}
