/** The journal of unit movements, oldest first. */
import type { SaleId } from '../domain/ids.ts';
import type { Entry } from '../domain/ledger/entry.ts';

export interface JournalPage {
  readonly entries: readonly Entry[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

export interface Journal {
  /** Up to `max` entries of a sale after `cursor` (0: from the beginning). */
  read(saleId: SaleId, cursor: number, max: number): Promise<JournalPage>;
}
