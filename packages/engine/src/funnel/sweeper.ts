/**
 * The sweeper: ends unpaid orders that are due, and looks again for units for late money. It may be stopped and started, and
 * several may run: each order ends once, by the ledger's clock. A stopped sweeper only lets unpaid orders hold longer.
 */
import { followChange } from './follow-change.ts';
import { type ReclaimDeps, reclaimUnits } from './reclaim-units.ts';
import { createRounds, type Rounds, type RoundsDeps } from './rounds.ts';

export interface SweeperDeps extends ReclaimDeps, RoundsDeps {}

export interface Sweeper extends Rounds {
  /** One pass; answers how many orders it ended. */
  round(): Promise<number>;
}

/** How late an order may end after it was due. */
const BETWEEN_ROUNDS_MS = 500;

/** One transaction, and one burst of units for the gate; what is more is swept in the next. */
const MAX_ENDED = 200;
const MAX_RECLAIMED = 100;

export function createSweeper(deps: SweeperDeps): Sweeper {
  async function round(): Promise<number> {
    const { orders, releases } = await deps.orders.expireDue(MAX_ENDED);
    await followChange(deps, orders, releases);
    for (const { payment, order } of await deps.orders.listReclaiming(MAX_RECLAIMED)) {
      await reclaimUnits(deps, payment, order);
    }
    return orders.length;
  }

  return { round, ...createRounds(deps, BETWEEN_ROUNDS_MS, async () => (await round()) === MAX_ENDED) };
}
