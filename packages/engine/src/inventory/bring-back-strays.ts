/**
 * A stray is a claim that its gate has for unsettled and that the queue has no entry of: one that somebody removed by hand, or
 * that was settled while its gate could not be told. The ledger says which (P19): what it knows is marked, everything else is
 * queued again as the claim it is (P14), and it is ended, if it must be, where every claim ends.
 *
 * The gate is asked before the ledger, so that what a worker settles meanwhile is at worst queued twice, which settles once.
 */
import { type SegmentKey, segmentName } from '../domain/inventory/quota.ts';
import { type Claim, claimId, comparePositions, type Position } from '../domain/order/claim.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate, SegmentView } from '../ports/gate.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import type { GateSession } from './gate-session.ts';

export interface StrayDeps {
  readonly gate: Gate;
  readonly session: GateSession;
  readonly inventoryCentre: InventoryCentre;
}

/** How far a process has looked at each segment. */
export interface StrayWatch {
  /** Null: nothing can have gone astray since all was looked at. */
  walkOf(view: SegmentView): StrayWalk | null;
  walked(segment: SegmentKey, walk: StrayWalk): void;
}

export interface StrayWalk {
  /** Where the next page begins; null before the first and behind the last. */
  readonly next: string | null;
  /** The last claim when the walk began. */
  readonly since: Position;
  /** By the monotonic clock. */
  readonly startedAtMs: number;
  /** It has met a claim that is unsettled: there is something that can go astray. */
  readonly isWaiting: boolean;
}

/** So that a hundred thousand buyers are looked at in a minute. A page is at most some ten milliseconds of the gate. */
const PAGES_A_ROUND = 8;

/** A gate is walked through again after this: entries are lost by accident, not by the second. */
const BETWEEN_WALKS_MS = 5_000;

export function createStrayWatch(clock: Clock): StrayWatch {
  // Bounded by the segments that exist.
  const walks = new Map<string, StrayWalk>();
  return {
    walkOf({ segment, position }) {
      const walk = walks.get(segmentName(segment));
      const startedAtMs = clock.monotonicMs();
      const fresh = { next: null, since: position, startedAtMs, isWaiting: false };
      if (!walk || walk.since.epoch !== position.epoch) return fresh;
      if (walk.next !== null) return walk;
      const isClean = !walk.isWaiting && comparePositions(walk.since, position) === 0;
      return isClean || startedAtMs - walk.startedAtMs < BETWEEN_WALKS_MS ? null : fresh;
    },
    walked(segment, walk) {
      walks.set(segmentName(segment), walk);
    },
  };
}

/** One part of the walk. False when what was found could not be brought back now. */
export async function lookForStrays(deps: StrayDeps, watch: StrayWatch, view: SegmentView): Promise<boolean> {
  const { segment } = view;
  let walk = watch.walkOf(view);
  for (let pages = 0; walk !== null && pages < PAGES_A_ROUND; pages += 1) {
    const page = await deps.gate.strays(segment, walk.next);
    if (page.strays.length > 0 && !(await bringBack(deps, segment, page.strays))) return false;
    walk = { ...walk, next: page.next, isWaiting: walk.isWaiting || page.isWaiting };
    watch.walked(segment, walk);
    if (walk.next === null) return true;
  }
  return true;
}

/** Of a segment that is only half there, too: claims that must not be forgotten by a load. None is younger than the first look. */
export async function allStrays(
  gate: Gate,
  segment: SegmentKey,
  queued: ReadonlySet<string>,
): Promise<readonly Claim[]> {
  const strays = new Map<string, Claim>();
  const first = await gate.strays(segment, null, queued);
  for (let page = first; ; page = await gate.strays(segment, page.next, queued)) {
    for (const claim of page.strays) {
      if (first.position && comparePositions(claim.origin, first.position) > 0) continue;
      strays.set(claimId(claim), claim);
    }
    if (page.next === null) return [...strays.values()];
  }
}

async function bringBack(deps: StrayDeps, segment: SegmentKey, strays: readonly Claim[]): Promise<boolean> {
  const { gate, session, inventoryCentre } = deps;
  const known = (await inventoryCentre.stock(segment.saleId, strays))?.knownClaimIds ?? new Set();
  const settled = strays.filter((claim) => known.has(claimId(claim)));
  const lost = strays.filter((claim) => !known.has(claimId(claim)));
  const call = await session.call(segment);
  if (settled.length > 0 && (await gate.markSettled(call, settled)) !== 'marked') return false;
  return lost.length === 0 || (await gate.requeue(call, lost)) === 'requeued';
}
