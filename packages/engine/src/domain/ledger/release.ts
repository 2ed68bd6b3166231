/**
 * Releases: units of an ended order, or of a second claim, on their way back to the gate. The row is written in the
 * transaction that ended the order; its units are in transit until the gate has taken them and the row is `delivered`.
 */
import type { Claim } from '../order/claim.ts';

export interface Release extends Claim {
  /** The claim's id: a claim is released once, whoever asks and however often. */
  readonly id: string;
  /** The segment's epoch when the row was written; another epoch's gate refuses it, its rebuild has absorbed it. */
  readonly epoch: number;
}
