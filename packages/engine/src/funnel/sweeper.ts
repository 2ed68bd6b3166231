/**
 * The sweeper: ends unpaid orders that are due, and looks again for units for late money. It may be stopped and started, and
 * several may run: each order ends once, by the ledger's clock. A stopped sweeper only lets unpaid orders hold longer.
 */
import { Fault } from '../domain/fault.ts';
import type { Clock } from '../ports/clock.ts';
import { followChange } from './follow-change.ts';
import { type ReclaimDeps, reclaimUnits } from './reclaim-units.ts';

export interface SweeperDeps extends ReclaimDeps {
  readonly clock: Clock;
  /** Told of what must not happen; the sweeper has stopped. */
  readonly onCrash: (error: unknown) => void;
}

export interface Sweeper {
  /** One pass; answers how many orders it ended. */
  round(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** How late an order may end after it was due. */
const BETWEEN_ROUNDS_MS = 500;

/** One transaction, and one burst of units for the gate; what is more is swept in the next. */
const MAX_ENDED = 200;
const MAX_RECLAIMED = 100;

export function createSweeper(deps: SweeperDeps): Sweeper {
  let isRunning = false;
  let inHand: Promise<void> = Promise.resolve();
  let callOff: () => void = () => {};

  async function round(): Promise<number> {
    const { orders, releases } = await deps.orders.expireDue(MAX_ENDED);
    await followChange(deps, orders, releases);
    for (const { payment, order } of await deps.orders.listReclaiming(MAX_RECLAIMED)) {
      await reclaimUnits(deps, payment, order);
    }
    return orders.length;
  }

  async function tryRound(): Promise<void> {
    let isFull = false;
    try {
      isFull = (await round()) === MAX_ENDED;
    } catch (error) {
      if (!(error instanceof Fault)) return deps.onCrash(error);
      deps.onFault(error);
    }
    if (isRunning) schedule(isFull ? 0 : BETWEEN_ROUNDS_MS);
  }

  function schedule(delayMs: number): void {
    callOff = deps.clock.after(delayMs, () => {
      inHand = tryRound();
    });
  }

  return {
    round,
    start() {
      isRunning = true;
      schedule(0);
    },
    async stop() {
      isRunning = false;
      callOff();
      await inHand;
    },
  };
}
