/**
 * A closed loop: so many at a time, the next one when one is done. It measures what a server can do, and not how long people
 * wait when it cannot: whoever is not served is not sent.
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
