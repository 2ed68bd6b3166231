/**
 * Where the units come from that a quota borrows: the centre first, then the quotas beside it. Asked for one, it takes a fair
 * share of what there is, so that a quota with many buyers asks seldom; at the tail, where a share is less than one, the last
 * unit goes to whoever asks.
 *
 * Law: nothing comes only when there is nothing anywhere, and nobody gives more than they have.
 */
import { invariant, isUnitCount } from '../invariant.ts';

export interface Lendable<Key> {
  readonly quota: Key;
  readonly units: number;
}

export interface BorrowView<Key> {
  readonly freeUnits: number;
  /** The other quotas, and what their gates have available. */
  readonly others: readonly Lendable<Key>[];
}

export interface BorrowPlan<Key> {
  readonly centreUnits: number;
  /** Each with more than 0 units. */
  readonly recalls: readonly Lendable<Key>[];
}

export function planBorrow<Key>({ freeUnits, others }: BorrowView<Key>, wantedUnits: number): BorrowPlan<Key> {
  invariant(isUnitCount(wantedUnits) && wantedUnits > 0, 'units wanted are a positive whole number');
  const parts = others.length + 1;
  const centreUnits = Math.min(freeUnits, Math.max(wantedUnits, Math.ceil(freeUnits / parts)));
  const missing = wantedUnits - centreUnits;
  if (missing <= 0) return { centreUnits, recalls: [] };

  const richest = others.filter(({ units }) => units > 0).sort((a, b) => b.units - a.units);
  const share = Math.floor(richest.reduce((sum, { units }) => sum + units, 0) / parts);
  const taken = new Map<Key, number>();
  let left = Math.max(missing, share);
  // Half of what each has, while that is enough; all of it when it is not.
  for (const most of [(units: number) => Math.ceil(units / 2), (units: number) => units]) {
    for (const { quota, units } of richest) {
      const before = taken.get(quota) ?? 0;
      const more = Math.min(left, Math.max(0, most(units) - before));
      if (more > 0) taken.set(quota, before + more);
      left -= more;
    }
  }
  return { centreUnits, recalls: [...taken].map(([quota, units]) => ({ quota, units })) };
}
