/** Settlement whose ceiling is told of every transaction: those of a group that was split, and those that failed, too. */
import type { Clock } from '../../ports/clock.ts';
import type { Settlement } from '../../ports/settlement.ts';
import type { SettlementCeiling } from './settlement-ceiling.ts';

export function settlementWithCeiling(settlement: Settlement, ceiling: SettlementCeiling, clock: Clock): Settlement {
  async function told<Result>(claims: number, step: () => Promise<Result>): Promise<Result> {
    const startedMs = clock.monotonicMs();
    try {
      return await step();
    } finally {
      ceiling.spent({ claims, durationMs: clock.monotonicMs() - startedMs });
    }
  }
  return {
    settle: (claims) => told(claims.length, () => settlement.settle(claims)),
    quarantine: (claim, reason) => told(1, () => settlement.quarantine(claim, reason)),
  };
}
