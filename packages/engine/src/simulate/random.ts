/** Seeded randomness (sfc32): the same seed draws the same numbers on every machine. */
export interface Random {
  /** A whole number in [min, max]. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** A stream of its own, so that what one part of the world draws does not shift what another draws. */
  fork(): Random;
}

export function createRandom(seed: number): Random {
  const state = scramble(seed);
  let [a, b, c, d] = [state(), state(), state(), 1];

  function next(): number {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
  // Seeds that are neighbours differ in few bits; these rounds spread them.
  for (let round = 0; round < 12; round++) next();

  const random: Random = {
    whole: (min, max) => min + Math.floor((next() / 0x1_0000_0000) * (max - min + 1)),
    chance: (probability) => next() / 0x1_0000_0000 < probability,
    pick(items) {
      const [first] = items;
      return items[random.whole(0, items.length - 1)] ?? first;
    },
    fork: () => createRandom(next()),
  };
  return random;
}

/** splitmix32: three unlike numbers from one seed. */
function scramble(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e37_79b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0_aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a_2d97);
    return mixed ^ (mixed >>> 15);
  };
}
