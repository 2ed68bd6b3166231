/** A clock that stands still until it is told to go on. */
import type { Clock } from '../../ports/clock.ts';

export interface ManualClock extends Clock {
  /** Lets `ms` pass, running what falls due, each at its own moment. */
  advance(ms: number): void;
  /** Steps the wall clock alone, as an operator or NTP may. */
  step(ms: number): void;
}

export function createManualClock(startMs: number): ManualClock {
  let passedMs = 0;
  let stepMs = 0;
  const due = new Set<{ readonly atMs: number; readonly action: () => void }>();

  function next(untilMs: number) {
    const ripe = [...due].filter((timer) => timer.atMs <= untilMs);
    return ripe.reduce<(typeof ripe)[number] | undefined>((a, b) => (a && a.atMs <= b.atMs ? a : b), undefined);
  }

  return {
    nowMs: () => startMs + passedMs + stepMs,
    monotonicMs: () => passedMs,
    after(delayMs, action) {
      const timer = { atMs: passedMs + delayMs, action };
      due.add(timer);
      return () => {
        due.delete(timer);
      };
    },
    advance(ms) {
      const endMs = passedMs + ms;
      for (let timer = next(endMs); timer; timer = next(endMs)) {
        due.delete(timer);
        passedMs = Math.max(passedMs, timer.atMs);
        timer.action();
      }
      passedMs = endMs;
    },
    step(ms) {
      stepMs += ms;
    },
  };
}
