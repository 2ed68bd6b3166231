/**
 * Quarantine: a claim that cannot be settled is put aside for a person. Decisions only: the caller reads in one
 * transaction, asks here and applies the answer in that same transaction.
 *
 * Law: only units that the ledger still has at the claim's gate are set aside. A stale claim has none there (P5), and
 * a claim of more than its quota has, or of no whole number, has none to give: they are kept for the person, with no units.
 */

import { isUnitCount } from '../invariant.ts';
import { type Quota, unorderedUnits } from '../inventory/quota.ts';
import type { Claim } from '../order/claim.ts';
import type { Sale } from '../sale/sale.ts';
import { isStale, type SegmentRecord } from './epoch.ts';

export interface QuarantineView {
  /** The ledger has the claim as an order of the same origin, a release, or in quarantine. */
  readonly isKnown: boolean;
  /** Null when the claim names a segment or quota that does not exist. */
  readonly segment: SegmentRecord | null;
  readonly quota: Quota | null;
}

export type QuarantineDecision = { readonly kind: 'known' } | { readonly kind: 'set_aside'; readonly units: number };

export function decideQuarantine(view: QuarantineView, claim: Claim): QuarantineDecision {
  const { segment, quota } = view;
  if (view.isKnown) return { kind: 'known' };
  const isReal = isUnitCount(claim.units) && quota !== null && claim.units <= unorderedUnits(quota);
  const isLoaded = segment !== null && !isStale(claim.origin, segment);
  return { kind: 'set_aside', units: isReal && isLoaded ? claim.units : 0 };
}

export type DropDecision =
  /** It becomes a refused order, and its units go back by its release. */
  | 'refuse'
  /** It was never a claim that a gate of this ledger could have: there is nothing to give back, and nobody to tell. */
  | 'forget'
  /** Nothing moves in a settled sale, so its units could not come back. */
  | 'sale_settled';

export interface DropView {
  /** Null when the claim names a sale or segment that does not exist. */
  readonly sale: Sale | null;
  readonly segment: SegmentRecord | null;
  /** Quarantined for it. */
  readonly units: number;
}

export function decideDrop({ sale, segment, units }: DropView, claim: Claim): DropDecision {
  if (!sale || !segment || !isUnitCount(claim.units) || claim.units === 0) return 'forget';
  return sale.state === 'settled' && units > 0 ? 'sale_settled' : 'refuse';
}
