/** A broken promise of our own: never caught to be answered, the process ends and recovers from the ledger. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws InvariantError unless `condition` holds. `promise` is the sentence that was thought to be true. */
export function invariant(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new InvariantError(`broken promise: ${promise}`);
}

/** True for a whole number of units that arithmetic, Lua and SQL all keep exact: 0 <= n < 2^53. */
export function isUnitCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
