/**
 * Releases: units of an ended order, or of a second claim, on their way back. The row is written in the transaction that
 * ended the order, and its destination is fixed there and then (P12): a later change of mind would meet the first call on
 * its way, and the units would be in two places.
 */
import type { Claim } from '../order/claim.ts';
import type { SaleState } from '../sale/sale.ts';

/**
 * `quota`: to the gate that sold them; in transit until it has taken them and the row is `delivered`. `centre`: free from
 * the transaction that ended the order; the gate gets no units, and is only told that claim and limit are free.
 */
export type ReleaseDestination = 'quota' | 'centre';

/** Where what becomes nobody's goes. `paper`: a settled sale has no gate that is told of anything; it is free in the books. */
export function wayBackOf(state: SaleState): ReleaseDestination | 'paper' {
  switch (state) {
    case 'draft':
    case 'live':
    case 'paused':
      return 'quota';
    case 'closed':
      return 'centre';
    case 'settled':
      return 'paper';
  }
}

export interface Release extends Claim {
  /** The claim's id: a claim is released once, whoever asks and however often. */
  readonly id: string;
  /** The segment's epoch when the row was written; another epoch's gate refuses it, its rebuild has absorbed it. */
  readonly epoch: number;
  readonly destination: ReleaseDestination;
}
