/**
 * What an empty quota means. Dry is not an answer to the buyer: this looks at the whole sale, once for all who ask at about
 * the same time, and says whether units are left, may come back, or are gone.
 */
import type { SaleId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import { type ReadPlacesDeps, readPlaces } from './read-places.ts';

export type DryVerdict =
  /** Every unit is sold. */
  | 'sold_out'
  /** None can be claimed, but some are held unpaid or on their way to the ledger, and may come back. */
  | 'none_left_now'
  /** Units are free, available or in transit: ask again. */
  | 'units_left';

/**
 * How long a verdict stands. A "sold out" may be said no later than a second after a unit became claimable; and a million
 * losers may cost no more than these few readings.
 */
export const VERDICT_MS = 500;

export interface DryJudge {
  judge(saleId: SaleId): Promise<DryVerdict>;
}

export function createDryJudge(deps: ReadPlacesDeps & { readonly clock: Clock }): DryJudge {
  const verdicts = new Map<SaleId, { readonly verdict: Promise<DryVerdict>; readonly untilMs: number }>();
  return {
    judge(saleId) {
      const nowMs = deps.clock.monotonicMs();
      const known = verdicts.get(saleId);
      if (known && nowMs < known.untilMs) return known.verdict;
      const verdict = sweep(deps, saleId);
      verdicts.set(saleId, { verdict, untilMs: nowMs + VERDICT_MS });
      // A sweep that failed must not answer the next half second.
      verdict.catch(() => verdicts.delete(saleId));
      return verdict;
    },
  };
}

async function sweep(deps: ReadPlacesDeps, saleId: SaleId): Promise<DryVerdict> {
  const result = await readPlaces(deps, saleId);
  if (result.kind !== 'read' || !result.reading.isStill) return 'units_left';
  const { free, available, inTransit, held, claimed } = result.reading.places;
  if (free + available + inTransit > 0) return 'units_left';
  return held + claimed > 0 ? 'none_left_now' : 'sold_out';
}
