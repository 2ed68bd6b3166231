/**
 * Between processes that sell and processes that have the ledger: who finds a quota dry asks for units, or whether there are any.
 * Messages, on which nothing rests: one that is lost is asked again, and what is not answered is not clear. Only the gate tells
 * that units have come.
 */
import type { BorrowResult, DryVerdict } from '../domain/inventory/dry.ts';
import type { QuotaKey } from '../domain/inventory/quota.ts';

export type LendingQuestion =
  /** `units`: of all who wait. */
  | { readonly kind: 'borrow'; readonly quota: QuotaKey; readonly units: number }
  | { readonly kind: 'judge'; readonly saleId: string };

export type LendingAnswer = BorrowResult | DryVerdict;

export interface LendingLine {
  /** Null: nobody has answered in time. */
  ask(question: LendingQuestion): Promise<LendingAnswer | null>;
  /**
   * Calls `answer` with the questions of other processes; null: it does not answer this one. `isRepeated`: it was asked before,
   * and whoever should have answered has not. The returned function ends it.
   */
  listen(answer: (question: LendingQuestion, isRepeated: boolean) => Promise<LendingAnswer | null>): () => void;
}
