/**
 * What an operator does to a sale's state, and from which states: the same state can be reached for different reasons.
 * Settling is not among them: it asks for more than a state, see decide-settle.
 */
import { type SaleState, saleCanBecome } from './sale.ts';

export const SALE_OPERATIONS = {
  publish: { from: ['draft'], to: 'live' },
  pause: { from: ['live'], to: 'paused' },
  resume: { from: ['paused'], to: 'live' },
  close: { from: ['draft', 'live', 'paused'], to: 'closed' },
} as const satisfies Record<string, { readonly from: readonly SaleState[]; readonly to: SaleState }>;

export type SaleOperation = keyof typeof SALE_OPERATIONS;

export type OperationDecision = 'change' | 'repeated' | 'wrong_state';

/** Told twice is done once: a sale that is there already stays as it is. */
export function decideOperation(state: SaleState, operation: SaleOperation): OperationDecision {
  const { from, to }: { readonly from: readonly SaleState[]; readonly to: SaleState } = SALE_OPERATIONS[operation];
  if (from.includes(state) && saleCanBecome(state, to)) return 'change';
  return state === to ? 'repeated' : 'wrong_state';
}
