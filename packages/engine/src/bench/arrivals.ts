/** When each buyer of a rush means to come: decided before the first one does, and whatever the deployment then does. */
import type { Dice } from './dice.ts';

export const PROFILES = {
  herd: 'most in the first second, the others ever more rarely',
  steady: 'evenly spread',
  bots: 'a herd, and accounts that hammer from the first second on',
} as const;

export type Profile = keyof typeof PROFILES;

const SECOND_MS = 1_000;
/** Of a herd, those who come in the first second. */
const FIRST_SECOND_SHARE = 0.6;
/** How much of the time that is left the tail takes, on average: of those in it, one in twenty comes in the last quarter. */
const TAIL_MEAN_SHARE = 0.25;

/** Milliseconds after the start of the rush, in [0, overMs], for each of `buyers`. Everybody at once when `overMs` is 0. */
export function arrivalsOf(
  { profile, overMs }: { readonly profile: Profile; readonly overMs: number },
  buyers: number,
  dice: Dice,
): readonly number[] {
  return Array.from({ length: buyers }, (_, index) => {
    if (overMs === 0) return 0;
    return profile === 'steady' ? ((index + dice.roll()) / buyers) * overMs : arrivalInHerd(overMs, dice);
  });
}

/** Bots do not come late. */
export function arrivalOfBot(overMs: number, dice: Dice): number {
  return dice.roll() * Math.min(SECOND_MS, overMs);
}

function arrivalInHerd(overMs: number, dice: Dice): number {
  if (overMs <= SECOND_MS || dice.chance(FIRST_SECOND_SHARE)) return arrivalOfBot(overMs, dice);
  const tailMs = overMs - SECOND_MS;
  const meanMs = tailMs * TAIL_MEAN_SHARE;
  // Exponential, and cut off at the end: nobody comes after `overMs`.
  const cut = 1 - Math.exp(-tailMs / meanMs);
  return SECOND_MS - meanMs * Math.log(1 - dice.roll() * cut);
}
