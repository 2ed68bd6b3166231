/**
 * Who works for this deployment now, so that several workers can keep off each other's rows. Nothing rests on it: a list that is
 * late, or different in two processes, makes one wait for the other or do the same work twice, and that is harmless.
 */
export interface Roster {
  /** Says that `worker` lives, for PRESENT_MS; answers all who do, in the order of their names. */
  present(worker: string): Promise<readonly string[]>;
  /** Says that it works no more. */
  leave(worker: string): Promise<void>;
}

/** A dead worker's segments are another's after this: before the age of the queue would end intake (`maxQueueAgeMs`). */
export const PRESENT_MS = 2_000;
