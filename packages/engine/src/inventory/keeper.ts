/** Keeps every sale, again and again: see keep-sale. One round at a time; asked for sooner, it comes sooner. */
import { Fault, isGateFault } from '../domain/fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sales } from '../ports/sales.ts';
import { type KeepDeps, keepSale } from './keep-sale.ts';

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

export function createKeeper(deps: KeeperDeps): Keeper {
  let isRunning = false;
  let inHand: Promise<void> = Promise.resolve();
  let callOff: () => void = () => {};

  async function round(): Promise<boolean> {
    let isDone = true;
    const faults: Fault[] = [];
    for (const sale of await deps.sales.list()) {
      try {
        isDone = (await keepSale(deps, sale.id)) !== 'unfinished' && isDone;
      } catch (error) {
        // A sale whose gate is away keeps no other one waiting.
        if (!isGateFault(error)) throw error;
        faults.push(error);
      }
    }
    if (faults[0]) throw faults[0];
    return isDone;
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
