/**
 * The centre: the units of a sale that are allotted to no quota. Decisions only; the caller reads the balance in a
 * transaction, asks here and applies the answer in that same transaction.
 *
 * Law: free + allotted = total.
 */
import { invariant, isUnitCount } from '../invariant.ts';
import type { SaleState } from '../sale/sale.ts';

export interface Centre {
  readonly totalUnits: number;
  readonly freeUnits: number;
  readonly allottedUnits: number;
}

export type AllotDecision = { readonly kind: 'allotted'; readonly units: number } | AllotRefusal;

export type AllotRefusal =
  | { readonly kind: 'refused'; readonly reason: 'centre_empty' }
  /** A sale that is closed sells nothing more: its units come back, and none goes out (P17). */
  | { readonly kind: 'refused'; readonly reason: 'sale_closed' }
  /** What is free is being gathered for somebody who takes it away. */
  | { readonly kind: 'refused'; readonly reason: 'withdrawing' };

export interface AllotView {
  readonly centre: Centre;
  readonly state: SaleState;
  readonly isWithdrawing: boolean;
}

export function centreOf(totalUnits: number): Centre {
  invariant(isUnitCount(totalUnits), 'a total is a whole number of units');
  return { totalUnits, freeUnits: totalUnits, allottedUnits: 0 };
}

/** Gives what there is: a part is better than none, and the last unit reaches a quota that asked for more. */
export function decideAllot({ centre, state, isWithdrawing }: AllotView, unitsWanted: number): AllotDecision {
  invariant(isUnitCount(unitsWanted) && unitsWanted > 0, 'units wanted are a positive whole number');
  if (state === 'closed' || state === 'settled') return { kind: 'refused', reason: 'sale_closed' };
  if (isWithdrawing) return { kind: 'refused', reason: 'withdrawing' };
  if (centre.freeUnits === 0) return { kind: 'refused', reason: 'centre_empty' };
  return { kind: 'allotted', units: Math.min(unitsWanted, centre.freeUnits) };
}

export function afterAllot(centre: Centre, units: number): Centre {
  invariant(units <= centre.freeUnits, 'the centre allots only what is free');
  return { ...centre, freeUnits: centre.freeUnits - units, allottedUnits: centre.allottedUnits + units };
}

/** Units of a quota that its gate has given up, or that an order had: free again. The laws of the rows stand behind it. */
export function afterReturn(centre: Centre, units: number): Centre {
  return { ...centre, freeUnits: centre.freeUnits + units, allottedUnits: centre.allottedUnits - units };
}
