/** What may be found when a quota is dry: of the quota, that units were brought; of the whole sale, whether any can be had. */

export const BORROW_RESULTS = [
  /** Units have come; whoever claims first has them. */
  'came',
  /** Too little was found, or nothing. Not a verdict on the sale: units may have moved while it was looked for. */
  'none',
  /** It cannot be told now. */
  'unclear',
] as const;

export type BorrowResult = (typeof BORROW_RESULTS)[number];

export interface BorrowAnswer {
  readonly kind: BorrowResult;
  /** Of `none`: what there is for this quota altogether, less than anybody who waits wants. */
  readonly leftUnits: number;
}

/** What those want who wait for a quota. */
export interface Want {
  /** Together. */
  readonly units: number;
  /** The one who wants the fewest: for less than this no unit need move. */
  readonly leastUnits: number;
}

export const DRY_VERDICTS = [
  /** Every unit is sold. */
  'sold_out',
  /** None can be claimed, but some are held unpaid or on their way to the ledger, and may come back. */
  'none_left_now',
  /** Units are free, available or in transit: ask again. */
  'units_left',
] as const;

export type DryVerdict = (typeof DRY_VERDICTS)[number];
