/** Random choices that can be made again: the same seed, the same crowd. */

export interface Dice {
  /** In [0, 1). */
  roll(): number;
  /** True for about this share of the calls. */
  chance(share: number): boolean;
}

/** Mulberry32: 32 bits of state are plenty for choosing who clicks twice. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  function roll(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return { roll, chance: (share) => roll() < share };
}
