/** Which stage of the funnel turned a purchase away. */
import type { Refusal } from '../../domain/refusal.ts';
import type { Stage } from '../../ports/telemetry.ts';

const BEFORE_THE_GATE: Readonly<Partial<Record<Refusal['reason'], Stage>>> = {
  token_invalid: 'admission',
  token_expired: 'admission',
  token_foreign: 'admission',
  too_early: 'admission',
  busy: 'overload',
};

export function stageOf({ reason }: Refusal): Stage {
  return BEFORE_THE_GATE[reason] ?? 'gate';
}
