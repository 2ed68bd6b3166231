/** Settlement: the last atomic step. */
import type { SettlementOutcome } from '../domain/ledger/decide-settlement.ts';
import type { Claim } from '../domain/order/claim.ts';

/** The most claims one transaction may settle: it holds locks for a few milliseconds, not for long. */
export const MAX_CLAIMS_PER_SETTLEMENT = 500;

export interface Settlement {
  /**
   * Turns claims into orders in one durable transaction, as decideSettlement says; all of them or, when it throws, none
   * (or, with `outcome_unknown`, perhaps all: settle the same claims again to find out). Settling a claim again changes
   * nothing and answers with its order. Outcomes in the order given.
   */
  settle(claims: readonly Claim[]): Promise<readonly SettlementOutcome[]>;

  /**
   * Puts a claim aside that cannot be settled, with the reason, for a person to decide; its units are `quarantined`. Once
   * per claim; a claim that has an order, or was released, is left as it is.
   */
  quarantine(claim: Claim, reason: string): Promise<void>;
}
