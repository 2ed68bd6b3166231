/**
 * What an empty quota means. Dry is not an answer to the buyer: this looks at the whole sale, once for all who ask at about
 * the same time, and says whether units are left, may come back, or are gone.
 */
import { Fault } from '../domain/fault.ts';
import type { SaleId } from '../domain/ids.ts';
import type { DryVerdict } from '../domain/inventory/dry.ts';
import type { Clock } from '../ports/clock.ts';
import { type ReadPlacesDeps, readPlaces } from './read-places.ts';

/**
 * How long a verdict stands. A "sold out" may be said no later than a second after a unit became claimable; and a million
 * losers may cost no more than these few readings.
 */
export const VERDICT_MS = 500;

export type GoneVerdict = Exclude<DryVerdict, 'units_left'>;

export interface DryJudge {
  judge(saleId: SaleId): Promise<DryVerdict>;
  /** What was judged a moment ago and stands; null when nothing was, or it could not be told. */
  standing(saleId: SaleId): Promise<DryVerdict | null>;
  /** False: `recall` has nothing to tell. */
  isRemembered(saleId: SaleId): boolean;
  /**
   * What a sale that was found empty is judged by now; null when none was, or units have come back. Costs nothing while there
   * are units; while there are none, one sweep for all who ask within `VERDICT_MS`. What a fault keeps from being told is null.
   */
  recall(saleId: SaleId): Promise<GoneVerdict | null>;
  /** For whoever only looks: the verdict that stands, or a sweep that is not remembered and so makes nobody else sweep. */
  look(saleId: SaleId): Promise<DryVerdict>;
  /** Units have come: the next to ask hears of them. */
  forget(saleId: SaleId): void;
}

export interface DryJudgeDeps {
  readonly clock: Clock;
  /** Looks at the whole sale: see sweepPlaces. */
  readonly sweep: (saleId: SaleId) => Promise<DryVerdict>;
}

export function createDryJudge({ clock, sweep }: DryJudgeDeps): DryJudge {
  /** Bounded by the sales that somebody found empty. */
  const verdicts = new Map<SaleId, { readonly verdict: Promise<DryVerdict>; readonly untilMs: number }>();

  function judge(saleId: SaleId): Promise<DryVerdict> {
    const nowMs = clock.monotonicMs();
    const known = verdicts.get(saleId);
    if (known && nowMs < known.untilMs) return known.verdict;
    const verdict = sweep(saleId);
    const remembered = { verdict, untilMs: nowMs + VERDICT_MS };
    verdicts.set(saleId, remembered);
    // A sweep that failed must not answer the next half second.
    verdict.catch(() => {
      if (verdicts.get(saleId) === remembered) verdicts.delete(saleId);
    });
    return verdict;
  }

  return {
    judge,
    async standing(saleId) {
      const known = verdicts.get(saleId);
      if (!known || clock.monotonicMs() >= known.untilMs) return null;
      // Who made the sweep hears of its fault.
      return known.verdict.catch(() => null);
    },
    isRemembered: (saleId) => verdicts.has(saleId),
    async recall(saleId) {
      if (!verdicts.has(saleId)) return null;
      try {
        const verdict = await judge(saleId);
        if (verdict !== 'units_left') return verdict;
        // Found open: nobody sweeps for it again until somebody finds it empty.
        verdicts.delete(saleId);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
      return null;
    },
    look(saleId) {
      const known = verdicts.get(saleId);
      return known && clock.monotonicMs() < known.untilMs ? known.verdict : sweep(saleId);
    },
    forget(saleId) {
      verdicts.delete(saleId);
    },
  };
}

/**
 * Units that are free, available or on their way can be had. Gone they are only when nothing became claimable while everything was
 * looked at (P13).
 */
export async function sweepPlaces(deps: ReadPlacesDeps, saleId: SaleId): Promise<DryVerdict> {
  const result = await readPlaces(deps, saleId);
  if (result.kind !== 'read' || !result.reading.isStill) return 'units_left';
  const { free, available, inTransit, held, claimed } = result.reading.places;
  // What is on its way back may be allotted again.
  if (result.stock.openReturns.length > 0) return 'units_left';
  if (free + available + inTransit > 0) return 'units_left';
  return held + claimed > 0 ? 'none_left_now' : 'sold_out';
}
