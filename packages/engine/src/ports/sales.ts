/** Sales, as the ledger holds them. */
import type { SaleId } from '../domain/ids.ts';
import type { Sale, SaleDraft, SaleState } from '../domain/sale/sale.ts';

export type CreateSaleResult =
  | { readonly kind: 'created'; readonly sale: Sale }
  /** A sale of this id exists; nothing was changed. */
  | { readonly kind: 'exists'; readonly sale: Sale };

export type ChangeStateResult =
  | { readonly kind: 'changed'; readonly sale: Sale }
  /** No edge leads there from the state it is in. */
  | { readonly kind: 'wrong_state'; readonly sale: Sale }
  | { readonly kind: 'absent' };

export interface Sales {
  /**
   * Creates a draft with all its units free, and its segments and quotas with none. The journal tells where the stock came
   * from. All of it or nothing.
   */
  create(draft: SaleDraft, quotas: readonly SaleQuota[]): Promise<CreateSaleResult>;
  find(saleId: SaleId): Promise<Sale | null>;
  /** By id. */
  list(): Promise<readonly Sale[]>;
  /** Compare-and-set along the table of edges. */
  changeState(saleId: SaleId, to: SaleState): Promise<ChangeStateResult>;
}

/** A quota that a sale starts with. */
export interface SaleQuota {
  readonly region: string;
  readonly segment: number;
  readonly channel: string;
}
