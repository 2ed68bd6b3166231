/** What a reconciliation says, wherever it read the books. */
import type { PlaceName } from '@sluice/contract/codes';
import type { RebuildDifference } from '../../compose/rebuild-check.ts';
import type { BookDifference } from '../../compose/stopped-store.ts';

/** `not_read` is not a difference: nobody knows. */
export type Verdict = 'balanced' | 'unbalanced' | 'not_read';

export const VERDICTS: Readonly<Record<Verdict, string>> = {
  balanced: 'balanced',
  unbalanced: 'NOT BALANCED',
  not_read: 'not read',
};

export interface ReconciledSale {
  readonly saleId: string;
  readonly verdict: Verdict;
  /** Null: not read. A place that is null was not read. */
  readonly places: Readonly<Record<PlaceName, number | null>> | null;
  readonly total: number | null;
  readonly note: string | null;
  readonly differences: readonly (BookDifference | RebuildDifference)[];
}

export interface Reconciled {
  /** `journal`: the ledger, held to what its journal alone makes of it. */
  readonly source: 'deployment' | 'ledger' | 'journal';
  readonly sales: readonly ReconciledSale[];
}

export function verdictOnAll(sales: readonly ReconciledSale[]): Verdict {
  const verdicts = new Set(sales.map(({ verdict }) => verdict));
  if (verdicts.has('unbalanced')) return 'unbalanced';
  return verdicts.has('not_read') ? 'not_read' : 'balanced';
}
