/**
 * A sale: one stock, one window, one limit. Its state is set by people; its phase is told by the clock (see schedule).
 */
import { SALE_STATES, type SaleState } from '@sluice/contract/codes';
import type { SaleId } from '../ids.ts';
import type { Offer } from './offer.ts';

export { SALE_STATES, type SaleState };

export interface SaleDraft {
  readonly id: SaleId;
  readonly title: string;
  readonly offer: Offer;
  readonly totalUnits: number;
  /** Units one buyer may have in live orders, of this sale or of all sales of its group. */
  readonly limitUnits: number;
  /** Fixed: what a buyer has is counted by it. */
  readonly limitGroup?: string;
  /** The window [startsAtMs, endsAtMs), milliseconds since 1970. */
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** IANA name of the zone that the window is meant in; its instants do not depend on it. */
  readonly timeZone: string;
  /** How long an unpaid order holds its units. */
  readonly holdMs: number;
  /** Parts that its buyers and its stock are divided into; fixed, for a buyer must always meet the same one. */
  readonly segments: number;
}

export interface Sale extends SaleDraft {
  readonly state: SaleState;
  /** Rises with every change; a stale writer is refused by it. */
  readonly version: number;
}

/** What a gate must know of a sale to judge a claim. */
export interface SaleTerms {
  /** The sale's: older terms never replace newer ones. */
  readonly version: number;
  readonly state: SaleState;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly limitUnits: number;
  /** The sales whose claims count, too; fixed with the sale. */
  readonly limitGroup?: string;
}

export const SALE_EDGES: Readonly<Record<SaleState, readonly SaleState[]>> = {
  draft: ['live', 'closed'],
  live: ['paused', 'closed'],
  paused: ['live', 'closed'],
  closed: ['settled'],
  settled: [],
};

export function saleCanBecome(from: SaleState, to: SaleState): boolean {
  return SALE_EDGES[from].includes(to);
}

export function termsOf(sale: Sale): SaleTerms {
  return {
    version: sale.version,
    state: sale.state,
    startsAtMs: sale.startsAtMs,
    endsAtMs: sale.endsAtMs,
    limitUnits: sale.limitUnits,
    ...(sale.limitGroup !== undefined && { limitGroup: sale.limitGroup }),
  };
}

/** The group is not compared: it never changes. */
export function isSameTerms(a: SaleTerms, b: SaleTerms): boolean {
  return (
    a.version === b.version &&
    a.state === b.state &&
    a.startsAtMs === b.startsAtMs &&
    a.endsAtMs === b.endsAtMs &&
    a.limitUnits === b.limitUnits
  );
}

/** What an operator may change of a sale that is not settled. */
export type SalePatch = Partial<Pick<SaleDraft, 'title' | 'startsAtMs' | 'endsAtMs' | 'timeZone' | 'holdMs'>>;
