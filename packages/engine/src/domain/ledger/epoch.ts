/**
 * Epochs and cuts: how the ledger tells whether a claim made before a gate was lost still counts.
 *
 * Each rebuild of a segment opens a new epoch and writes a permanent cut: claims of all older epochs up to the cut are in
 * the new load, later ones are not and must be refused without giving anything back (P4, P5). A claim lies under every
 * later cut or it is stale.
 */
import { type SegmentKey, segmentName } from '../inventory/quota.ts';
import { type Claim, claimId, comparePositions, type Position, segmentOf } from '../order/claim.ts';

export interface Cut {
  /** The epoch that this cut opened. */
  readonly epoch: number;
  /** The last claim of older epochs that its load has counted. */
  readonly through: Position;
}

export interface SegmentRecord extends SegmentKey {
  readonly epoch: number;
  readonly cuts: readonly Cut[];
  /** The highest claim that was settled: a gate that has counted less was rolled back. */
  readonly settledThrough: Position;
}

export function isStale(position: Position, segment: SegmentRecord): boolean {
  if (position.epoch > segment.epoch) return true;
  return segment.cuts.some((cut) => cut.epoch > position.epoch && comparePositions(position, cut.through) > 0);
}

/**
 * The segment with its next epoch open; claims of the epochs before count up to `through`. A gate may be of a later epoch than the
 * ledger, which then has lost commits: the next one is above both.
 */
export function openNextEpoch(segment: SegmentRecord, through: Position, gateEpoch: number): SegmentRecord {
  const epoch = Math.max(segment.epoch, gateEpoch) + 1;
  return { ...segment, epoch, cuts: [...segment.cuts, { epoch, through }] };
}

/**
 * Of the claims read from a segment's queue, those whose units the load must leave out: not stale, and not known to the
 * ledger as an order of the same origin, a release or in quarantine. Each once.
 */
export function countClaims(
  segment: SegmentRecord,
  queued: readonly Claim[],
  knownClaimIds: ReadonlySet<string>,
): readonly Claim[] {
  const counted = new Map<string, Claim>();
  for (const claim of queued) {
    const id = claimId(claim);
    if (segmentName(segmentOf(claim)) !== segmentName(segment)) continue;
    if (!isStale(claim.origin, segment) && !knownClaimIds.has(id)) counted.set(id, claim);
  }
  return [...counted.values()];
}
