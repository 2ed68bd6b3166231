/** Settlement in memory: reads what the group touches, asks the decision, applies its plan. */

import { invariant } from '../../domain/invariant.ts';
import { quotaName, segmentName } from '../../domain/inventory/quota.ts';
import { buyerKey } from '../../domain/ledger/changes.ts';
import { decideQuarantine } from '../../domain/ledger/decide-quarantine.ts';
import {
  decideSettlement,
  type SettlementOutcome,
  type SettlementView,
} from '../../domain/ledger/decide-settlement.ts';
import { claimQuarantined } from '../../domain/ledger/entry.ts';
import { type Claim, claimId, quotaOf, segmentOf } from '../../domain/order/claim.ts';
import type { RefusalCause } from '../../domain/order/order.ts';
import { limitScopeOf } from '../../domain/sale/limit-scope.ts';
import type { Clock } from '../../ports/clock.ts';
import { MAX_CLAIMS_PER_SETTLEMENT, type Settlement } from '../../ports/settlement.ts';
import { commitChanges } from './ledger-changes.ts';
import { commit } from './ledger-commit.ts';
import { openPaymentsOf } from './ledger-orders.ts';
import { isClosedClaim, isKnownClaim, type Rows } from './ledger-rows.ts';

export function createMemorySettlement(rows: Rows, clock: Clock): Settlement {
  return {
    async settle(claims) {
      invariant(claims.length <= MAX_CLAIMS_PER_SETTLEMENT, `a group has at most ${MAX_CLAIMS_PER_SETTLEMENT} claims`);
      return settleIn(rows, clock, claims);
    },

    async quarantine(claim, reason) {
      const quota = rows.quotas.get(quotaName(quotaOf(claim))) ?? null;
      const segment = rows.segments.get(segmentName(segmentOf(claim))) ?? null;
      const decision = decideQuarantine({ isKnown: isKnownClaim(rows, claim), segment, quota }, claim);
      if (decision.kind === 'known') return;
      const { units } = decision;
      const isBacked = quota !== null && units > 0;
      commit(rows, {
        newQuarantine: [{ claim, units, reason }],
        quotas: isBacked ? [{ ...quota, quarantinedUnits: quota.quarantinedUnits + units }] : [],
        entries: isBacked ? [claimQuarantined(claim)] : [],
      });
    },
  };
}

/** `forced`: why a person ends these claims. */
export function settleIn(
  rows: Rows,
  clock: Clock,
  claims: readonly Claim[],
  forced: RefusalCause | null = null,
): readonly SettlementOutcome[] {
  const { outcomes, changes } = decideSettlement(viewOf(rows, clock, claims), claims, forced);
  commitChanges(rows, changes);
  return outcomes;
}

function viewOf(rows: Rows, clock: Clock, claims: readonly Claim[]): SettlementView {
  const keys = claims.flatMap(({ saleId, buyerId }) => {
    const row = rows.sales.get(saleId);
    return row ? [buyerKey(limitScopeOf(row.sale), buyerId)] : [];
  });
  return {
    nowMs: clock.nowMs(),
    sales: new Map([...rows.sales].map(([id, row]) => [id, row.sale])),
    segments: rows.segments,
    quotas: rows.quotas,
    buyerUnits: new Map(keys.map((key) => [key, rows.buyers.get(key)?.units ?? 0])),
    orders: ordersNamed(rows, claims),
    closedClaims: new Set(claims.map(claimId).filter((id) => isClosedClaim(rows, id))),
    openPayments: new Map(claims.map(({ orderId }) => [orderId, openPaymentsOf(rows, orderId)])),
    parkedCancels: rows.parkedCancels,
  };
}

function ordersNamed(rows: Rows, claims: readonly Claim[]): SettlementView['orders'] {
  const orders = claims.map((claim) => rows.orders.get(claim.orderId)).filter((order) => order !== undefined);
  return new Map(orders.map((order) => [order.orderId, order]));
}
