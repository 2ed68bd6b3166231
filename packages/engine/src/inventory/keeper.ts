/** Keeps every sale, again and again: see keep-sale. One round at a time; asked for sooner, it comes sooner. */
import { Fault, isGateFault } from '../domain/fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sales } from '../ports/sales.ts';
import { type KeepDeps, type KeepResult, keepSale } from './keep-sale.ts';

export interface KeeperDeps extends KeepDeps {
  readonly sales: Sales;
  readonly clock: Clock;
  /** Told of every fault; the next round tries again. */
  readonly onFault: (fault: Fault) => void;
  /** Told of what must not happen; the keeper has stopped. */
  readonly onCrash: (error: unknown) => void;
}

export interface Keeper {
  /** One pass over all sales. True when nothing is left to do. */
  round(): Promise<boolean>;
  start(): void;
  /** Resolves when the round in hand has ended. */
  stop(): Promise<void>;
}

/** A lost gate sells again within seconds; an idle sale costs two small reads a second. */
const BETWEEN_ROUNDS_MS = 1_000;

/** Sales that wait for stores beside each other: after a lost gate, each for its rebuild. */
const AT_ONCE = 4;

export function createKeeper(deps: KeeperDeps): Keeper {
  let isRunning = false;
  let inHand: Promise<void> = Promise.resolve();
  let callOff: () => void = () => {};

  async function round(): Promise<boolean> {
    const sales = await deps.sales.list();
    const kept: PromiseSettledResult<KeepResult>[] = [];
    for (let from = 0; from < sales.length; from += AT_ONCE) {
      const some = sales.slice(from, from + AT_ONCE).map((sale) => keepSale(deps, sale.id));
      kept.push(...(await Promise.allSettled(some)));
    }
    // A sale whose gate is away has kept no other one waiting.
    const failed = kept.filter((each) => each.status === 'rejected');
    const worst = failed.find(({ reason }) => !isGateFault(reason)) ?? failed[0];
    if (worst) throw worst.reason;
    return kept.every((each) => each.status === 'fulfilled' && each.value !== 'unfinished');
  }

  function schedule(): void {
    callOff = deps.clock.after(BETWEEN_ROUNDS_MS, () => {
      inHand = tryRound();
    });
  }

  async function tryRound(): Promise<void> {
    try {
      await round();
    } catch (error) {
      if (!(error instanceof Fault)) return deps.onCrash(error);
      deps.onFault(error);
    }
    if (isRunning) schedule();
  }

  return {
    round,
    start() {
      isRunning = true;
      schedule();
    },
    async stop() {
      isRunning = false;
      callOff();
      await inHand;
    },
  };
}
