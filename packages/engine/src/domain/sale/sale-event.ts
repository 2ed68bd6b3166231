/** What is told of a sale, written in the transaction in which it happened or was seen. */
import type { SaleEventType } from '@sluice/contract/codes';
import type { SaleId } from '../ids.ts';
import type { SaleOperation } from './operation.ts';
import type { SaleState } from './sale.ts';

export type { SaleEventType };

export interface SaleEvent {
  readonly type: SaleEventType;
  readonly saleId: SaleId;
  /** The sale's state after it. */
  readonly state: SaleState;
  readonly totalUnits: number;
  /** Units that the places have beyond the total, or lack below zero; null unless `inventory.unbalanced`. */
  readonly surplusUnits: number | null;
  /** Milliseconds since 1970 by the ledger's clock. */
  readonly atMs: number;
}

const EVENT_OF_OPERATION: Readonly<Partial<Record<SaleOperation, SaleEventType>>> = {
  publish: 'sale.published',
  close: 'sale.closed',
};

/** What there is to tell of an operation that changed a sale; null: nothing. */
export function eventOfOperation(
  operation: SaleOperation,
  sale: { readonly saleId: SaleId; readonly state: SaleState; readonly totalUnits: number },
  atMs: number,
): SaleEvent | null {
  const type = EVENT_OF_OPERATION[operation];
  return type ? { type, ...sale, surplusUnits: null, atMs } : null;
}
