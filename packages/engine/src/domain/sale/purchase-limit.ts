/**
 * The purchase limit counts units, not orders or visits: a limit of 3 lets one order of 3, or three of 1.
 */
export function isWithinLimit(takenUnits: number, wantedUnits: number, limitUnits: number): boolean {
  return takenUnits + wantedUnits <= limitUnits;
}
