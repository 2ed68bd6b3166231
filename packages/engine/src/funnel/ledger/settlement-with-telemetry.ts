/** Settlement whose groups are counted and timed. */
import { Fault } from '../../domain/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Settlement } from '../../ports/settlement.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export function settlementWithTelemetry(settlement: Settlement, telemetry: Telemetry, clock: Clock): Settlement {
  return {
    ...settlement,
    async settle(claims) {
      const startedMs = clock.monotonicMs();
      try {
        const outcomes = await settlement.settle(claims);
        const refused = outcomes.filter(({ kind }) => kind === 'refused').length;
        telemetry.groupSettled({ claims: claims.length, refused, durationMs: clock.monotonicMs() - startedMs });
        return outcomes;
      } catch (error) {
        if (error instanceof Fault) telemetry.settlementFailed(error.code);
        throw error;
      }
    },
  };
}
