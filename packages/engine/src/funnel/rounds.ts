/**
 * Rounds: something done again and again in the background, one at a time, that may be stopped and started. A fault is told
 * and met again in the next round; anything else ends the rounds and is told as a crash.
 */
import { Fault } from '../domain/fault.ts';
import type { Clock } from '../ports/clock.ts';

export interface RoundsDeps {
  readonly clock: Clock;
  /** Told of every fault; the next round tries again. */
  readonly onFault: (fault: Fault) => void;
  /** Told of what must not happen; there are no more rounds. */
  readonly onCrash: (error: unknown) => void;
}

export interface Rounds {
  start(): void;
  /** Resolves when the round in hand has ended. */
  stop(): Promise<void>;
}

/** `round` answers whether it left more to do: then the next one follows at once, else after `pauseMs`. */
export function createRounds(deps: RoundsDeps, pauseMs: number, round: () => Promise<boolean>): Rounds {
  let isRunning = false;
  let inHand: Promise<void> = Promise.resolve();
  let callOff: () => void = () => {};

  async function tryRound(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await round();
    } catch (error) {
      if (!(error instanceof Fault)) return deps.onCrash(error);
      deps.onFault(error);
    }
    if (isRunning) schedule(hasMore ? 0 : pauseMs);
  }

  function schedule(delayMs: number): void {
    callOff = deps.clock.after(delayMs, () => {
      inHand = tryRound();
    });
  }

  return {
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
