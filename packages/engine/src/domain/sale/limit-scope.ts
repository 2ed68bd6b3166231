/**
 * What a purchase limit counts. A sale counts its own orders; sales of one limit group count each other's, so that "one of
 * these three skins" is one limit over three stocks. The scope is the one name for both: buyers are counted by it.
 */
import type { SaleId } from '../ids.ts';

/** A sale's id, or a group's name behind a prefix that no sale id has. */
export type LimitScope = string;

export interface LimitedSale {
  readonly id: SaleId;
  /** Absent: the limit is the sale's own. */
  readonly limitGroup?: string;
}

export function limitScopeOf({ id, limitGroup }: LimitedSale): LimitScope {
  return limitGroup === undefined ? id : `group:${limitGroup}`;
}

/** A gate reads a buyer's claims in every other sale of the group: a millisecond for each, in a call of 256 claims at the most. */
export const MAX_SALES_PER_GROUP = 32;

/** What all sales of a scope have in common. */
export interface LimitScopeTerms {
  readonly limitUnits: number;
  /** Of each sale in a region: a buyer must be in the same part of all of them. */
  readonly segmentCount: number;
  readonly saleCount: number;
}

export type JoinDecision =
  | { readonly kind: 'joined'; readonly terms: LimitScopeTerms }
  /** Two limits for one count would be none; and in another part of the buyers the gate would not find what a buyer has. */
  | { readonly kind: 'group_differs'; readonly terms: LimitScopeTerms }
  | { readonly kind: 'group_full'; readonly terms: LimitScopeTerms };

/** `terms`: of the scope, null when the sale is its first. */
export function decideJoin(
  terms: LimitScopeTerms | null,
  wanted: Pick<LimitScopeTerms, 'limitUnits' | 'segmentCount'>,
): JoinDecision {
  if (terms === null) return { kind: 'joined', terms: { ...wanted, saleCount: 1 } };
  const isAlike = terms.limitUnits === wanted.limitUnits && terms.segmentCount === wanted.segmentCount;
  if (!isAlike) return { kind: 'group_differs', terms };
  if (terms.saleCount >= MAX_SALES_PER_GROUP) return { kind: 'group_full', terms };
  return { kind: 'joined', terms: { ...terms, saleCount: terms.saleCount + 1 } };
}
