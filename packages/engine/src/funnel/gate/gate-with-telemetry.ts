/** A gate whose calls are counted: a batch at a time, never a claim. */
import type { Gate } from '../../ports/gate.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export function gateWithTelemetry(gate: Gate, telemetry: Telemetry): Gate {
  return {
    ...gate,
    async claim(call, claims) {
      const outcomes = await gate.claim(call, claims);
      let taken = 0;
      let replayed = 0;
      for (const { kind } of outcomes) {
        if (kind === 'claimed') taken++;
        else if (kind === 'replayed') replayed++;
      }
      telemetry.batchJudged({ claims: outcomes.length, taken, replayed });
      return outcomes;
    },
  };
}
