/**
 * Runs the worker side: a group at a time, each as soon as the one before it is done, so that claims gather into groups of
 * the size that the load makes. A group that meets a fault stays in hand and is tried again; it is never dropped.
 */
import { Fault } from '../domain/fault.ts';
import type { Clock } from '../ports/clock.ts';
import { type FulfilDeps, fulfilGroup, readGroup } from './fulfil.ts';

export interface WorkerDeps extends FulfilDeps {
  readonly clock: Clock;
  /** Told of every fault that is being retried. */
  readonly onFault: (fault: Fault) => void;
  /** Told of what must not happen; the worker has stopped. */
  readonly onCrash: (error: unknown) => void;
}

export interface Worker {
  start(): void;
  /** Ends after the group in hand, or gives it up when it cannot be settled; it stays in the queue. */
  stop(): Promise<void>;
}

/** Arrivals wake the worker; this is for the entries of a reader that died, and for wake-ups that were lost. */
const IDLE_MS = 1_000;
const FIRST_RETRY_MS = 50;
/** How late a ledger that is well again may be found so. */
const LONGEST_RETRY_MS = 1_000;

export function createWorker(deps: WorkerDeps): Worker {
  let isRunning = false;
  let running: Promise<void> = Promise.resolve();
  let wake: () => void = () => {};
  let hasArrivals = false;
  let stopListening: () => void = () => {};

  /** Sleeps until something arrives, `ms` have passed, or the worker is stopped. */
  function sleep(ms: number): Promise<void> {
    if (hasArrivals || !isRunning) return Promise.resolve();
    return new Promise((resolve) => {
      const callOff = deps.clock.after(ms, resolve);
      wake = () => {
        callOff();
        resolve();
      };
    });
  }

  /** Tries again what meets a retryable fault; null when the worker is stopped before it is done. */
  async function persist<Result>(step: () => Promise<Result>): Promise<Result | null> {
    let retryMs = FIRST_RETRY_MS;
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof Fault) || !error.retryable) throw error;
        deps.onFault(error);
        if (!isRunning) return null;
        await new Promise<void>((resolve) => deps.clock.after(retryMs, resolve));
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
      }
    }
  }

  async function run(): Promise<void> {
    while (isRunning) {
      hasArrivals = false;
      const group = await persist(() => readGroup(deps));
      if (group && group.length > 0) await persist(() => fulfilGroup(deps, group));
      else await sleep(IDLE_MS);
    }
  }

  return {
    start() {
      isRunning = true;
      stopListening = deps.queue.onArrival(() => {
        hasArrivals = true;
        wake();
      });
      running = run().catch(deps.onCrash);
    },
    async stop() {
      isRunning = false;
      stopListening();
      wake();
      await running;
    },
  };
}
