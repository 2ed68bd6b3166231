/**
 * A closed loop: so many at a time, the next one when one is done. For looking around when the crowd has left: nothing is
 * measured here.
 */
export async function runClosedLoop<Item>(
  items: readonly Item[],
  concurrency: number,
  visit: (item: Item) => Promise<void>,
): Promise<void> {
  const line = items.values();
  async function serve(): Promise<void> {
    for (const item of line) await visit(item);
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, serve));
}
