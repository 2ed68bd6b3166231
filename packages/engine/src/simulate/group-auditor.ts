/**
 * The auditor of a limit group: what each buyer has in all its sales, by books of its own. The ledger may never pass the
 * limit; the gate may, once it has lost something, and until then counts exactly.
 */
import type { SettlementOutcome } from '../domain/ledger/decide-settlement.ts';
import type { Claim } from '../domain/order/claim.ts';
import type { ClaimOutcome, ClaimRequest } from '../ports/gate.ts';
import { nameOfClaim } from './books.ts';
import type { Report } from './violation.ts';

export interface GroupAuditor {
  claimed(saleId: string, requests: readonly ClaimRequest[], outcomes: readonly ClaimOutcome[]): void;
  released(claim: Claim): void;
  settled(outcomes: readonly SettlementOutcome[]): void;
  gateRestarted(): void;
  /** Whether an order of any of the sales is, or was claimed to be, this buyer's. */
  isOrderOf(orderId: string, buyerId: string): boolean;
}

export interface GroupAuditorParts {
  readonly limitUnits: number;
  readonly report: Report;
  readonly sometimes: (mark: string) => void;
}

/** What has units of a buyer's limit, by its name; `saleId` tells where. */
type Held = Map<string, Pick<Claim, 'saleId' | 'buyerId' | 'units'>>;

export function createGroupAuditor({ limitUnits, report, sometimes }: GroupAuditorParts): GroupAuditor {
  /** Claims that no gate was told to end, and live orders. */
  const atGate: Held = new Map();
  const inLedger: Held = new Map();
  const buyers = new Map<string, string>();
  let hasLost = false;

  function unitsOf(held: Held, buyerId: string): number {
    let units = 0;
    for (const each of held.values()) if (each.buyerId === buyerId) units += each.units;
    return units;
  }

  function refusedByLimit(saleId: string, { orderId, buyerId, units }: ClaimRequest, liveOrderIds: readonly string[]) {
    if (unitsOf(atGate, buyerId) + units <= limitUnits) {
      report('the limit of a group is used up when it is said', orderId, `by ${liveOrderIds.join()}`);
    }
    const isElsewhere = [...atGate.values()].some((each) => each.buyerId === buyerId && each.saleId !== saleId);
    if (isElsewhere) sometimes('group-limit-at-gate');
  }

  return {
    claimed(saleId, requests, outcomes) {
      for (const [at, outcome] of outcomes.entries()) {
        const request = requests[at];
        if (request && outcome.kind === 'over_limit') refusedByLimit(saleId, request, outcome.liveOrderIds);
        if (outcome.kind !== 'claimed') continue;
        const { claim } = outcome;
        buyers.set(claim.orderId, claim.buyerId);
        atGate.set(nameOfClaim(claim.orderId, claim.origin), claim);
        const units = unitsOf(atGate, claim.buyerId);
        if (units > limitUnits && !hasLost) report('a gate counts the whole group', claim.orderId, `${units} units`);
        if (units > limitUnits) sometimes('group-limit-passed-at-gate');
      }
    },
    released(claim) {
      atGate.delete(nameOfClaim(claim.orderId, claim.origin));
    },
    settled(outcomes) {
      for (const { kind, order } of outcomes) {
        if (kind === 'refused' && order.refusal === 'over_limit') sometimes('group-limit-in-ledger');
        if (kind !== 'settled') continue;
        inLedger.set(order.orderId, order);
        const units = unitsOf(inLedger, order.buyerId);
        if (units > limitUnits) report('no buyer passes the limit of a group', order.orderId, `${units} units`);
      }
    },
    gateRestarted() {
      hasLost = true;
    },
    isOrderOf: (orderId, buyerId) => buyers.get(orderId) === buyerId,
  };
}
