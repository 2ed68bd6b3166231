/** The last thing before an engine with a queue in memory stops: what was answered `queued` gets its time to reach the ledger. */
import type { Queue } from '../ports/queue.ts';

/** A ledger that settles nothing for this long is broken; one that is slow on a busy machine still gets every claim. */
const STILL_TRIES = 100;
const BETWEEN_TRIES_MS = 50;

/** Ends when the queue is empty, or stands still: how many claims are in it then. They are lost with the process. */
export async function drain(queue: Pick<Queue, 'depth'>, stillTries: number = STILL_TRIES): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let left = stillTries; ; left--) {
    const { entries } = await queue.depth();
    if (entries < fewest) [fewest, left] = [entries, stillTries];
    if (entries === 0 || left === 0) return entries;
    await new Promise((done) => setTimeout(done, BETWEEN_TRIES_MS));
  }
}
