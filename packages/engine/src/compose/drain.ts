/** The last thing before an engine with a queue in memory stops: what was answered `queued` gets its time to reach the ledger. */
import type { Queue } from '../ports/queue.ts';

/** Ten thousand claims and more at the embedded ledger's pace; a ledger that is slower than that is broken. */
const DRAIN_TRIES = 100;
const BETWEEN_TRIES_MS = 50;

/** How many claims are still in the queue when the time is up; they are lost with the process. */
export async function drain(queue: Pick<Queue, 'depth'>, tries: number = DRAIN_TRIES): Promise<number> {
  for (let left = tries; ; left--) {
    const { entries } = await queue.depth();
    if (entries === 0 || left === 0) return entries;
    await new Promise((done) => setTimeout(done, BETWEEN_TRIES_MS));
  }
}
