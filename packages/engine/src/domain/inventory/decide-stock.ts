/**
 * Stock added to a sale in mid-life, as one delta with an id. Read and applied in one transaction.
 *
 * Law: free + allotted = total, before and after.
 */

import { invariant, isUnitCount } from '../invariant.ts';
import type { SaleState } from '../sale/sale.ts';
import type { Centre } from './centre.ts';

export interface StockChange {
  /** The operator's id for this delivery: told twice, it is received once. */
  readonly id: string;
  /** Units that arrive; a positive whole number. */
  readonly units: number;
}

export type StockDecision =
  | { readonly kind: 'received'; readonly centre: Centre }
  /** This delivery was received before; nothing changes. */
  | { readonly kind: 'repeated'; readonly centre: Centre }
  /** The id was used for another number of units. */
  | { readonly kind: 'content_differs'; readonly centre: Centre }
  /** A sale that is closed or settled receives nothing. */
  | { readonly kind: 'wrong_state'; readonly centre: Centre }
  /** More than can be counted. */
  | { readonly kind: 'too_many'; readonly centre: Centre };

export interface StockView {
  readonly state: SaleState;
  readonly centre: Centre;
  /** Units received under this id before; null: none. */
  readonly receivedUnits: number | null;
}

export function decideStock(view: StockView, change: StockChange): StockDecision {
  invariant(isUnitCount(change.units) && change.units > 0, 'a delivery is a positive whole number of units');
  const { centre } = view;
  if (view.receivedUnits !== null) {
    return { kind: view.receivedUnits === change.units ? 'repeated' : 'content_differs', centre };
  }
  if (view.state === 'closed' || view.state === 'settled') return { kind: 'wrong_state', centre };
  const totalUnits = centre.totalUnits + change.units;
  if (!isUnitCount(totalUnits)) return { kind: 'too_many', centre };
  return { kind: 'received', centre: { ...centre, totalUnits, freeUnits: centre.freeUnits + change.units } };
}
