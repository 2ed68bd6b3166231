/**
 * Running totals: what has come to a quota at its gate, and gone from it, since the load. The gate's own side of the comparison
 * between what the centre gave out, what the gate took and what the ledger has.
 *
 * Law: what is available is what was loaded and came, without what went.
 */
export interface QuotaTotals {
  readonly loaded: number;
  readonly credited: number;
  readonly released: number;
  readonly debited: number;
  readonly claimed: number;
}

export function totalsAtLoad(loaded: number): QuotaTotals {
  return { loaded, credited: 0, released: 0, debited: 0, claimed: 0 };
}

function availableBy({ loaded, credited, released, debited, claimed }: QuotaTotals): number {
  return loaded + credited + released - debited - claimed;
}

export interface GateFigures {
  /** By channel. */
  readonly availableUnits: ReadonlyMap<string, number>;
  readonly totals: ReadonlyMap<string, QuotaTotals>;
}

/** Whether the gate's counters say what its totals say; else somebody has written to them. One without totals was loaded before there were any. */
export function agreesWithTotals({ availableUnits, totals }: GateFigures): boolean {
  return [...availableUnits].every(([channel, units]) => {
    const own = totals.get(channel);
    return own === undefined || availableBy(own) === units;
  });
}
