/**
 * Which ledger this is among all there are: an id that was made with its tables and never changes. What is kept of a ledger in a
 * place that another ledger may use, too, is named by it; a database that is new, or was emptied, is another ledger.
 */
export interface LedgerIdentity {
  /** Letters and digits. */
  read(): Promise<string>;
}
