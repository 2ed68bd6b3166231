/**
 * Settles a group; one that the ledger's laws refuse as a whole is split until the claim that cannot be settled stands
 * alone, and that one is put in quarantine. The others are settled.
 */
import { Fault } from '../../domain/fault.ts';
import type { SettlementOutcome } from '../../domain/ledger/decide-settlement.ts';
import type { Claim } from '../../domain/order/claim.ts';
import type { Settlement } from '../../ports/settlement.ts';

export type GroupOutcome = SettlementOutcome | { readonly kind: 'quarantined'; readonly claim: Claim };

/** Throws retryable faults: nothing is known to be settled then, and the same group may be tried again. */
export async function settleGroup(settlement: Settlement, claims: readonly Claim[]): Promise<readonly GroupOutcome[]> {
  const [first] = claims;
  if (!first) return [];
  try {
    return await settlement.settle(claims);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'ledger_constraint') throw error;
    if (claims.length === 1) {
      await settlement.quarantine(first, error.message);
      return [{ kind: 'quarantined', claim: first }];
    }
    const middle = Math.ceil(claims.length / 2);
    const left = await settleGroup(settlement, claims.slice(0, middle));
    return [...left, ...(await settleGroup(settlement, claims.slice(middle)))];
  }
}
