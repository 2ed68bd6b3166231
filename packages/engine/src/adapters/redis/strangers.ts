/**
 * Ledgers other than ours that have sales in the same Redis. Nothing of theirs is read or written (their names differ), so all
 * there is to do about them is to tell whoever pays for the memory.
 */
import { isGateFault } from '../../domain/fault.ts';
import { createNames, LEDGERS_KEY } from './keys.ts';
import type { Masters } from './masters.ts';

export interface Stranger {
  readonly ledgerId: string;
  readonly segments: number;
  /** A process of its deployment listens now. */
  readonly isInUse: boolean;
}

/** Whoever makes a new database for each trial is told of some. */
const MAX_TOLD = 10;

export async function strangersIn(masters: Masters, ledgerId: string): Promise<readonly Stranger[]> {
  try {
    const ids = (await masters.of(LEDGERS_KEY).command('SMEMBERS', LEDGERS_KEY)) as string[];
    const others = ids.filter((id) => id !== ledgerId).toSorted();
    const found = await Promise.all(others.slice(0, MAX_TOLD).map((id) => lookAt(masters, id)));
    return found.filter(({ segments }) => segments > 0);
  } catch (error) {
    // A master that is away, or a user who may not ask, keeps nobody from selling: they are told of another time.
    if (!isGateFault(error)) throw error;
    return [];
  }
}

async function lookAt(masters: Masters, ledgerId: string): Promise<Stranger> {
  const names = createNames(ledgerId);
  const segments = Number(await masters.of(names.segments).command('SCARD', names.segments));
  const listeners = await Promise.all(
    masters.all().map(async (master) => {
      const [, count] = (await master.command('PUBSUB', 'NUMSUB', names.ordersChannel)) as [string, number];
      return count;
    }),
  );
  return { ledgerId, segments, isInUse: listeners.some((count) => count > 0) };
}

export function strangerSentences(strangers: readonly Stranger[]): readonly string[] {
  return strangers.map(({ ledgerId, segments, isInUse }) =>
    isInUse
      ? `Another deployment sells from this Redis (its ledger is ${ledgerId}). Neither touches the other's sales, but they share memory and time: give each a Redis of its own`
      : `This Redis also holds sales of another ledger, ${ledgerId} (${segments === 1 ? '1 segment' : `${segments} segments`}), which no process uses now; nothing is sold from them here. If that ledger is gone for good, \`redis-cli --scan --pattern 'sluice:${ledgerId}:*' | xargs -d '\\n' -n 1 redis-cli unlink\` removes what it left`,
  );
}
