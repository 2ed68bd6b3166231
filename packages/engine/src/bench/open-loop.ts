/**
 * An open loop: each one starts when they meant to, whether or not those before them have been served. So a server that
 * cannot keep up is seen as its callers see it, and not through a client that waits for it before it asks again.
 */
export interface Arrival<Item> {
  readonly atMs: number;
  readonly item: Item;
}

/** Started in one turn: then answers are looked at, or a burst would make every answer in it look late. */
const STARTS_PER_TURN = 32;

/** Ends when everybody has been served. `visit` is told when its item meant to start, by `performance.now()`. */
export async function runOpenLoop<Item>(
  arrivals: readonly Arrival<Item>[],
  visit: (item: Item, intendedMs: number) => Promise<void>,
): Promise<void> {
  const startedMs = performance.now();
  const inOrder = arrivals.toSorted((a, b) => a.atMs - b.atMs);
  const failures: unknown[] = [];
  const visits: Promise<void>[] = [];
  for (const [index, { atMs, item }] of inOrder.entries()) {
    const waitMs = startedMs + atMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    else if (index % STARTS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    if (failures.length > 0) break;
    visits.push(visit(item, startedMs + atMs).catch((error: unknown) => void failures.push(error)));
  }
  await Promise.all(visits);
  if (failures.length > 0) throw failures[0];
}
