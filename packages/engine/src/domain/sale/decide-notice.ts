/**
 * Conditions of a sale that come and go: every unit is sold, the places do not sum to the total. Each is told once when it
 * begins, and once more only when it has ended between. Seen by who looks again and again, because no single transaction
 * knows of all segments.
 */
import type { SaleEventType } from '@sluice/contract/codes';

export const SALE_CONDITIONS = {
  soldOut: 'sale.sold_out',
  unbalanced: 'inventory.unbalanced',
} as const satisfies Record<string, SaleEventType>;

export type SaleCondition = keyof typeof SALE_CONDITIONS;

export const NOTHING_TOLD: Readonly<Record<SaleCondition, boolean>> = { soldOut: false, unbalanced: false };

/** Every unit is paid; what is held may come back. */
export function isSoldOut(totalUnits: number, quotas: readonly { readonly soldUnits: number }[]): boolean {
  return totalUnits > 0 && quotas.reduce((sum, { soldUnits }) => sum + soldUnits, 0) === totalUnits;
}

export type NoticeDecision = 'tell' | 'forget' | 'as_before';

/** `holds`: the condition, now; `isTold`: it was told and has not ended since. */
export function decideNotice(holds: boolean, isTold: boolean): NoticeDecision {
  if (holds === isTold) return 'as_before';
  return holds ? 'tell' : 'forget';
}
