/** The name somebody probably meant: the nearest of the known ones, if it is near. */

/** Two slips, or one for a short name: further away is another word. */
const LETTERS_PER_SLIP = 4;
const MOST_SLIPS = 3;

export function nearestName(given: string, known: readonly string[]): string | null {
  const nearEnough = Math.min(MOST_SLIPS, Math.ceil(given.length / LETTERS_PER_SLIP));
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of known) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance <= nearEnough && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** Insertions, deletions, replacements, and neighbours that changed places, each counted as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let cheapest = Math.min(at(last, column) + 1, at(current, column - 1) + 1, replace);
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) cheapest = Math.min(cheapest, at(beforeLast, column - 2) + 1);
      current.push(cheapest);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
