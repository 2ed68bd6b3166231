/**
 * What a rebuilt segment starts with. The ledger's snapshot was taken in the transaction that opened the epoch; the queue
 * was read before it (P7). Nothing here is read from the lost gate but its queue.
 *
 * Law: what is loaded as available, plus what is still queued and counted, is what the quota has that no order has.
 */
import { invariant } from '../invariant.ts';
import { type Quota, quotaName, type SegmentKey, unorderedUnits } from '../inventory/quota.ts';
import { type Claim, quotaOf } from '../order/claim.ts';
import { isLive, type Order } from '../order/order.ts';
import type { SaleTerms } from '../sale/sale.ts';
import type { ClaimMark } from './decide-claim.ts';

/** What the ledger knows at the moment that it opens an epoch. */
export interface EpochSnapshot {
  readonly segment: SegmentKey;
  readonly epoch: number;
  readonly terms: SaleTerms;
  readonly quotas: readonly Quota[];
  /** All orders of the segment, live and ended: an ended one must still answer its token. */
  readonly orders: readonly Order[];
  /** The queued claims that the ledger does not have and that lie under every cut. */
  readonly countedClaims: readonly Claim[];
}

export interface BuyerMark extends ClaimMark {
  readonly buyerId: string;
}

export interface SegmentLoad {
  readonly segment: SegmentKey;
  readonly epoch: number;
  readonly terms: SaleTerms;
  readonly availableUnits: ReadonlyMap<string, number>;
  readonly marks: readonly BuyerMark[];
}

export function planLoad(snapshot: EpochSnapshot): SegmentLoad {
  const availableUnits = new Map<string, number>();
  for (const quota of snapshot.quotas) {
    const queuedUnits = snapshot.countedClaims
      .filter((claim) => quotaName(quotaOf(claim)) === quotaName(quota))
      .reduce((sum, claim) => sum + claim.units, 0);
    const available = unorderedUnits(quota) - queuedUnits;
    invariant(available >= 0, `quota ${quotaName(quota)} has no more claims than units`);
    availableUnits.set(quota.channel, available);
  }

  const marks = snapshot.countedClaims.map((claim) => markOf(claim, 'claimed'));
  const queuedOrderIds = new Set(snapshot.countedClaims.map((claim) => claim.orderId));
  for (const order of snapshot.orders) {
    // A queued claim wins over an ended order's mark: its units can only come back by its own origin (P9).
    if (isLive(order.state)) marks.push(markOf(order, 'settled'));
    else if (!queuedOrderIds.has(order.orderId)) marks.push(markOf(order, 'ended'));
  }

  return {
    segment: snapshot.segment,
    epoch: snapshot.epoch,
    terms: snapshot.terms,
    availableUnits,
    marks,
  };
}

function markOf(claim: Claim, state: ClaimMark['state']): BuyerMark {
  return { buyerId: claim.buyerId, orderId: claim.orderId, units: claim.units, origin: claim.origin, state };
}
