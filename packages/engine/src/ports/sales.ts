/** Sales, as the ledger holds them. */
import type { SaleId } from '../domain/ids.ts';
import type { NoticeDecision } from '../domain/sale/decide-notice.ts';
import type { PatchDecision } from '../domain/sale/decide-patch.ts';
import type { GatesAtRest, OpenMatters } from '../domain/sale/decide-settle.ts';
import type { JoinDecision } from '../domain/sale/limit-scope.ts';
import type { SaleOperation } from '../domain/sale/operation.ts';
import type { Sale, SaleDraft, SalePatch } from '../domain/sale/sale.ts';

export type CreateSaleResult =
  | { readonly kind: 'created'; readonly sale: Sale }
  /** A sale of this id exists; nothing was changed. */
  | { readonly kind: 'exists'; readonly sale: Sale }
  /** It does not go with its limit group; nothing was changed. */
  | Exclude<JoinDecision, { readonly kind: 'joined' }>;

export type OperateSaleResult =
  | { readonly kind: 'changed'; readonly sale: Sale }
  /** It was in that state already; nothing changed. */
  | { readonly kind: 'repeated'; readonly sale: Sale }
  /** The operation does not lead on from the state it is in. */
  | { readonly kind: 'wrong_state'; readonly sale: Sale }
  | { readonly kind: 'absent' };

export type SettleSaleResult =
  | OperateSaleResult
  /** Nothing changed. */
  | { readonly kind: 'still_open'; readonly sale: Sale; readonly open: OpenMatters };

export type PatchSaleResult = PatchDecision | { readonly kind: 'absent' };

export interface Sales {
  /**
   * Creates a draft with all its units free, and its segments and quotas with none. The journal tells where the stock came
   * from. A sale that names a limit group joins it, if it has the limit and the segments of the others. All of it or nothing.
   */
  create(draft: SaleDraft, quotas: readonly SaleQuota[]): Promise<CreateSaleResult>;
  find(saleId: SaleId): Promise<Sale | null>;
  /** By id. */
  list(): Promise<readonly Sale[]>;
  /** Compare-and-set, as decideOperation says. */
  operate(saleId: SaleId, operation: SaleOperation): Promise<OperateSaleResult>;
  /** Settles a closed sale, as decideSettle says: everything is looked at again in the transaction that changes the state. */
  settle(saleId: SaleId, gates: GatesAtRest): Promise<SettleSaleResult>;
  /**
   * Tells that a condition began, or notes that it ended: see decide-notice. Whether every unit is sold is looked at again in
   * this transaction; whether the places balance, which the gates have a part in, is the caller's to say.
   */
  notice(saleId: SaleId, notice: SaleNotice): Promise<NoticeDecision>;
  /** Changes the named fields, if the sale still has the version that the caller saw. */
  patch(saleId: SaleId, version: number, patch: SalePatch): Promise<PatchSaleResult>;
}

export type SaleNotice =
  | { readonly condition: 'soldOut' }
  /** 0: they balance. */
  | { readonly condition: 'unbalanced'; readonly surplusUnits: number };

/** A quota that a sale starts with. */
export interface SaleQuota {
  readonly region: string;
  readonly segment: number;
  readonly channel: string;
}
