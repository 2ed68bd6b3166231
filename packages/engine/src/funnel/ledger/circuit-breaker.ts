/**
 * A circuit breaker: whether it makes sense to bring work to what has stopped answering. It opens after failures in a row,
 * or at once when told to, and closes at the first success, whoever brought it. While work goes on failing it stays open; when
 * nobody has tried for as long as it rests, it lets one through per rest, so that it can never stay open by itself. What it
 * stands for meanwhile is "come again", never "sold out".
 */
import type { Clock } from '../../ports/clock.ts';

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;

export type BreakerState = (typeof BREAKER_STATES)[number];

export interface CircuitBreaker {
  readonly state: BreakerState;
  /** 0 when work may be brought; else the milliseconds until it is worth asking again. Half open, only the first may. */
  ask(): number;
  succeeded(): void;
  failed(): void;
  /** Opens at once: no answer is as bad as many failures. */
  trip(): void;
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long nobody may have failed before one is let through. */
  readonly restMs: number;
}

export function createCircuitBreaker(clock: Clock, { failures, restMs }: BreakerOptions): CircuitBreaker {
  let failuresInRow = 0;
  let openUntilMs: number | null = null;

  function trip(): void {
    openUntilMs = clock.monotonicMs() + restMs;
  }

  return {
    get state() {
      if (openUntilMs === null) return 'closed';
      return clock.monotonicMs() < openUntilMs ? 'open' : 'half_open';
    },
    ask() {
      if (openUntilMs === null) return 0;
      const leftMs = openUntilMs - clock.monotonicMs();
      if (leftMs > 0) return leftMs;
      // The one that is let through may never come to a success or a failure: it has one rest's time, then the next may try.
      trip();
      return 0;
    },
    succeeded() {
      failuresInRow = 0;
      openUntilMs = null;
    },
    failed() {
      failuresInRow++;
      if (failuresInRow >= failures) trip();
    },
    trip,
  };
}
