/**
 * Runs the worker side: a group at a time, each as soon as the one before it is done, so that claims gather into groups of
 * the size that the load makes. Where the ledger has a ceiling, the rest that it asks for is taken before a group is read: nothing
 * is in hand meanwhile. A group that meets a fault stays in hand and is tried again; it is never dropped.
 */
import { Fault } from '../domain/fault.ts';
import type { Clock } from '../ports/clock.ts';
import { type FulfilDeps, fulfilGroup, readGroup, setAsideUnread } from './fulfil.ts';
import type { SettlementCeiling } from './ledger/settlement-ceiling.ts';

export interface WorkerDeps extends FulfilDeps {
  readonly clock: Clock;
  /** Whoever settles through `settlement` tells it what was spent. */
  readonly ceiling: SettlementCeiling;
  /** Told of every rest when it is over. */
  readonly onRest: (restMs: number) => void;
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
  let endRest: () => void = () => {};
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

  /** Arrivals do not end it: that is what it is for. */
  async function rest(restMs: number): Promise<void> {
    const startedMs = deps.clock.monotonicMs();
    await new Promise<void>((resolve) => {
      const callOff = deps.clock.after(restMs, resolve);
      endRest = () => {
        callOff();
        resolve();
      };
    });
    deps.onRest(deps.clock.monotonicMs() - startedMs);
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
      const restMs = deps.ceiling.restMs();
      if (restMs > 0) await rest(restMs);
      if (!isRunning) return;
      hasArrivals = false;
      const group = await persist(() => readGroup(deps, deps.ceiling.groupClaims()));
      await persist(() => setAsideUnread(deps));
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
      endRest();
      await running;
    },
  };
}
