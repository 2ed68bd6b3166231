/**
 * Settlement that tells a breaker how it goes. The worker tries a group again and again until it is settled: its tries are
 * the probes, so the breaker closes as soon as the ledger takes a group.
 */
import { Fault } from '../../domain/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Settlement } from '../../ports/settlement.ts';
import type { BreakerOptions, CircuitBreaker } from './circuit-breaker.ts';

/** The worker's first three tries are 150 ms apart, all told; later ones at most a second, so that it stays open meanwhile. */
export const LEDGER_BREAKER: BreakerOptions = { failures: 3, restMs: 3_000 };

/** A group takes milliseconds. After this long without an answer nobody else should be made to wait for one. */
const OVERDUE_MS = 2_000;

export function settlementWithBreaker(settlement: Settlement, breaker: CircuitBreaker, clock: Clock): Settlement {
  /** Keeps the breaker open for as long as there is no answer; the returned function ends it. */
  function watchOver(): () => void {
    let callOff = () => {};
    const watch = () => {
      callOff = clock.after(OVERDUE_MS, () => {
        breaker.trip();
        watch();
      });
    };
    watch();
    return () => callOff();
  }

  async function told<Result>(step: () => Promise<Result>): Promise<Result> {
    const end = watchOver();
    try {
      const result = await step();
      breaker.succeeded();
      return result;
    } catch (error) {
      if (error instanceof Fault && error.retryable) breaker.failed();
      // A ledger that refuses rows by its laws is well.
      else if (error instanceof Fault && error.code === 'ledger_constraint') breaker.succeeded();
      throw error;
    } finally {
      end();
    }
  }

  return {
    settle: (claims) => told(() => settlement.settle(claims)),
    quarantine: (claim, reason) => told(() => settlement.quarantine(claim, reason)),
  };
}
