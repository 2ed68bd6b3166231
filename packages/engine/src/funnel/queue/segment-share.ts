/**
 * A worker's share of the segments: those whose claims it settles, so that two workers wait for each other's rows seldom. Each
 * says again and again that it is present, and all divide the segments alike. Correctness never rests on it: while it is not
 * known who works, everything is everybody's, and a segment that two settle is settled once.
 */
import { holderOfSegment } from '../../domain/inventory/holder-of-segment.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { Roster } from '../../ports/roster.ts';
import { createRounds, type Rounds, type RoundsDeps } from '../rounds.ts';

export interface SegmentShare extends Rounds {
  isOurs(segment: SegmentKey): boolean;
}

export interface SegmentShareDeps extends RoundsDeps {
  readonly roster: Roster;
  /** Other than every other worker. */
  readonly worker: string;
}

/** Four times within the time for which it counts as present. */
const BETWEEN_ROUNDS_MS = 500;

export function createSegmentShare({ roster, worker, ...deps }: SegmentShareDeps): SegmentShare {
  let present: readonly string[] = [];
  const rounds = createRounds(deps, BETWEEN_ROUNDS_MS, async () => {
    present = await roster.present(worker);
    return false;
  });
  return {
    start: rounds.start,
    async stop() {
      await rounds.stop();
      present = [];
      // One that cannot be told is found out when its time is up.
      await roster.leave(worker).catch(() => undefined);
    },
    isOurs(segment) {
      const holder = holderOfSegment(segment, present);
      return holder === null || holder === worker;
    },
  };
}
