/**
 * Between processes that sell and processes that have the ledger: who finds a quota dry asks for units, or whether there are any.
 * Messages, on which nothing rests: one that is lost is asked again, and what is not answered is not clear. Only the gate tells
 * that units have come.
 */
import type { BorrowResult, DryVerdict, Want } from '../domain/inventory/dry.ts';
import type { QuotaKey } from '../domain/inventory/quota.ts';

export type LendingQuestion =
  | { readonly kind: 'borrow'; readonly quota: QuotaKey; readonly want: Want }
  | { readonly kind: 'judge'; readonly saleId: string };

export interface LendingAnswer {
  readonly kind: BorrowResult | DryVerdict;
  /** See BorrowAnswer; 0 of a verdict. */
  readonly leftUnits: number;
}

export interface LendingLine {
  /** Null: nobody has answered in time. */
  ask(question: LendingQuestion): Promise<LendingAnswer | null>;
  /**
   * Calls `answer` with the questions of other processes; null: it does not answer this one. `isRepeated`: it was asked before,
   * and whoever should have answered has not. The returned function ends it.
   */
  listen(answer: (question: LendingQuestion, isRepeated: boolean) => Promise<LendingAnswer | null>): () => void;
}
