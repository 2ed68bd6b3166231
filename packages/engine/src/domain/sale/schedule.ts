/** The phase of a sale: what the clock says of its window [startsAtMs, endsAtMs). */
import type { SalePhase } from '@sluice/contract/codes';

export type { SalePhase };

export function phaseAt(window: { readonly startsAtMs: number; readonly endsAtMs: number }, nowMs: number): SalePhase {
  if (nowMs < window.startsAtMs) return 'upcoming';
  return nowMs < window.endsAtMs ? 'selling' : 'over';
}
