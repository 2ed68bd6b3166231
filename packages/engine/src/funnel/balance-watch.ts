/**
 * Holds the places of every sale to its total, now and then, while nothing is queued: a reading of a gate in a rush is long, and
 * says nothing while units move. What does not sum up is told as an event, for a person to look at.
 */
import { type TellDeps, tellUnbalanced } from '../inventory/tell-conditions.ts';
import type { Queue } from '../ports/queue.ts';
import type { Sales } from '../ports/sales.ts';
import { createRounds, type Rounds, type RoundsDeps } from './rounds.ts';

export interface BalanceWatchDeps extends TellDeps, RoundsDeps {
  readonly queue: Pick<Queue, 'depth'>;
  readonly sales: Pick<Sales, 'notice' | 'list'>;
}

export interface BalanceWatch extends Rounds {
  /** One look at every sale that has something at a gate. */
  round(): Promise<void>;
}

const BETWEEN_ROUNDS_MS = 10_000;

export function createBalanceWatch(deps: BalanceWatchDeps): BalanceWatch {
  async function round(): Promise<void> {
    for (const { id, state } of await deps.sales.list()) {
      if (state === 'draft' || state === 'settled') continue;
      if ((await deps.queue.depth()).entries > 0) return;
      await tellUnbalanced(deps, id);
    }
  }

  const rounds = createRounds(deps, BETWEEN_ROUNDS_MS, async () => {
    await round();
    return false;
  });
  return { round, ...rounds };
}
