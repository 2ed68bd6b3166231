/**
 * How free units go to the quotas of a sale: those with the fewest unsold units are filled up to the same level, and what does
 * not divide goes to the first ones. So a new sale is divided evenly, what a crash cut off is made up for, and a delivery in
 * mid-sale goes where the stock is low.
 *
 * Law: the shares sum to what is spread.
 */
import { invariant, isUnitCount } from '../invariant.ts';
import { type Quota, unorderedUnits } from './quota.ts';

export interface Share {
  readonly quota: Quota;
  /** More than 0. */
  readonly units: number;
}

export function spreadUnits(quotas: readonly Quota[], units: number): readonly Share[] {
  invariant(isUnitCount(units), 'what is spread is a whole number of units');
  const first = [...quotas].sort((a, b) => a.segment - b.segment);
  const lowest = first.map((quota) => ({ quota, has: unorderedUnits(quota) })).sort((a, b) => a.has - b.has);
  // How many of the lowest can be brought to one level: never above one that gets nothing.
  let filled = 0;
  let within = units;
  for (const { has } of lowest) {
    if (filled > 0 && has * filled > within) break;
    within += has;
    filled++;
  }
  const level = filled === 0 ? 0 : Math.floor(within / filled);
  let over = within - level * filled;
  const isFilled = new Set(lowest.slice(0, filled).map(({ quota }) => quota));
  const shares = first.map((quota) => {
    if (!isFilled.has(quota)) return { quota, units: 0 };
    const extra = over > 0 ? 1 : 0;
    over -= extra;
    return { quota, units: level + extra - unorderedUnits(quota) };
  });
  return shares.filter((share) => share.units > 0);
}
