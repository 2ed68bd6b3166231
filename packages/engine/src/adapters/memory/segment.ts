/**
 * One segment as the memory gate holds it. Marks and claims are values: a mark that changes is replaced, so that one that
 * was handed out stays what it was.
 */
import type { ClaimMark } from '../../domain/gate/decide-claim.ts';
import type { BuyerMark, SegmentLoad } from '../../domain/gate/plan-load.ts';
import type { BuyerId } from '../../domain/ids.ts';
import { invariant, isUnitCount } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import { type QuotaTotals, totalsAtLoad } from '../../domain/inventory/quota-totals.ts';
import { type Claim, claimId, isSameOrigin } from '../../domain/order/claim.ts';
import type { SaleTerms } from '../../domain/sale/sale.ts';
import type { SegmentView } from '../../ports/gate.ts';

export interface Segment {
  readonly key: SegmentKey;
  /** The server's when it was loaded. */
  readonly identity: string;
  readonly epoch: number;
  terms: SaleTerms;
  generation: number;
  /** Of the last claim of this epoch. */
  seq: number;
  /** By channel. */
  readonly availableUnits: Map<string, number>;
  /** By channel. */
  readonly totals: Map<string, QuotaTotals>;
  /** All that is remembered of a buyer; who was only refused is not in it. */
  readonly marks: Map<BuyerId, ClaimMark[]>;
  /** The claims of the marks that are `claimed`: `read` must not walk a million buyers for them. */
  readonly unsettled: Map<ClaimMark, Claim>;
  readonly releasedClaimIds: Set<string>;
  readonly appliedMoveIds: Set<string>;
  readonly debitedUnits: Map<string, number>;
}

/** Looks at everything that can be wrong; what it lets through can be written without a further question. */
export function segmentFrom(load: SegmentLoad, identity: string, generation: number): Segment {
  const segment: Segment = {
    key: load.segment,
    identity,
    epoch: load.epoch,
    terms: load.terms,
    generation,
    seq: 0,
    availableUnits: new Map(load.availableUnits),
    totals: new Map([...load.availableUnits].map(([channel, units]) => [channel, totalsAtLoad(units)])),
    marks: new Map(),
    unsettled: new Map(),
    releasedClaimIds: new Set(),
    appliedMoveIds: new Set(),
    debitedUnits: new Map(),
  };
  for (const [channel, units] of load.availableUnits) {
    invariant(isUnitCount(units), `what is loaded for ${channel} is a whole number of units`);
  }
  for (const mark of load.marks) {
    invariant(markOf(segment, mark) === null, 'a load marks each claim once');
    addLoadedMark(segment, mark);
  }
  return segment;
}

function addLoadedMark(segment: Segment, loaded: BuyerMark): void {
  const { buyerId, ...mark } = loaded;
  addMark(segment, buyerId, mark);
  if (mark.state === 'ended') segment.releasedClaimIds.add(claimId(mark));
  if (mark.state !== 'claimed') return;
  const { orderId, units, origin } = mark;
  segment.unsettled.set(mark, { orderId, saleId: segment.key.saleId, buyerId, units, origin });
}

export function addMark(segment: Segment, buyerId: BuyerId, mark: ClaimMark): void {
  const marks = segment.marks.get(buyerId);
  if (marks) marks.push(mark);
  else segment.marks.set(buyerId, [mark]);
}

/** The mark of exactly this claim: one order id may have marks of several origins (P10). */
export function markOf(segment: Segment, claim: Pick<Claim, 'buyerId' | 'orderId' | 'origin'>): ClaimMark | null {
  const marks = segment.marks.get(claim.buyerId);
  return marks?.find((mark) => mark.orderId === claim.orderId && isSameOrigin(mark.origin, claim.origin)) ?? null;
}

/** `mark` is the claim's own, as `markOf` found it. */
export function changeMark(segment: Segment, claim: Claim, mark: ClaimMark, state: 'settled' | 'ended'): void {
  const marks = segment.marks.get(claim.buyerId) ?? [];
  const at = marks.indexOf(mark);
  invariant(at >= 0, "a mark that changes is the segment's");
  marks[at] = { ...mark, state };
  segment.unsettled.delete(mark);
  if (state === 'ended') segment.releasedClaimIds.add(claimId(claim));
}

export function viewOf(segment: Segment): SegmentView {
  return {
    segment: segment.key,
    identity: segment.identity,
    epoch: segment.epoch,
    terms: segment.terms,
    availableUnits: new Map(segment.availableUnits),
    totals: new Map(segment.totals),
    unsettled: [...segment.unsettled.values()],
    appliedMoveIds: new Set(segment.appliedMoveIds),
    debitedUnits: new Map(segment.debitedUnits),
    releasedClaimIds: new Set(segment.releasedClaimIds),
    position: { epoch: segment.epoch, seq: segment.seq },
    generation: segment.generation,
  };
}
