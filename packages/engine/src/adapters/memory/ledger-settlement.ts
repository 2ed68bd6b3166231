/** Settlement in memory: reads what the group touches, asks the decision, applies its plan. */

import { invariant } from '../../domain/invariant.ts';
import { quotaName, segmentName } from '../../domain/inventory/quota.ts';
import { decideQuarantine } from '../../domain/ledger/decide-quarantine.ts';
import {
  buyerKey,
  decideSettlement,
  type SettlementPlan,
  type SettlementView,
} from '../../domain/ledger/decide-settlement.ts';
import { claimQuarantined } from '../../domain/ledger/entry.ts';
import { type Claim, claimId, comparePositions, quotaOf, segmentOf } from '../../domain/order/claim.ts';
import type { Clock } from '../../ports/clock.ts';
import { MAX_CLAIMS_PER_SETTLEMENT, type Settlement } from '../../ports/settlement.ts';
import { commit } from './ledger-commit.ts';
import { type Changes, isClosedClaim, isKnownClaim, type Rows } from './ledger-rows.ts';

export function createMemorySettlement(rows: Rows, clock: Clock): Settlement {
  return {
    async settle(claims) {
      invariant(claims.length <= MAX_CLAIMS_PER_SETTLEMENT, `a group has at most ${MAX_CLAIMS_PER_SETTLEMENT} claims`);
      const plan = decideSettlement(viewOf(rows, clock, claims), claims);
      commit(rows, changesOf(rows, plan));
      return plan.outcomes;
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

function viewOf(rows: Rows, clock: Clock, claims: readonly Claim[]): SettlementView {
  const keys = claims.map((claim) => buyerKey(claim.saleId, claim.buyerId));
  return {
    nowMs: clock.nowMs(),
    sales: new Map([...rows.sales].map(([id, row]) => [id, row.sale])),
    segments: rows.segments,
    quotas: rows.quotas,
    buyerUnits: new Map(keys.map((key) => [key, rows.buyers.get(key)?.units ?? 0])),
    orders: ordersNamed(rows, claims),
    closedClaims: new Set(claims.map(claimId).filter((id) => isClosedClaim(rows, id))),
  };
}

function ordersNamed(rows: Rows, claims: readonly Claim[]): SettlementView['orders'] {
  const orders = claims.map((claim) => rows.orders.get(claim.orderId)).filter((order) => order !== undefined);
  return new Map(orders.map((order) => [order.orderId, order]));
}

function changesOf(rows: Rows, plan: SettlementPlan): Changes {
  const quotas = [...plan.heldDeltas].map(([name, { units }]) => {
    const quota = rows.quotas.get(name);
    invariant(quota, `quota ${name} was read`);
    return { ...quota, heldUnits: quota.heldUnits + units };
  });
  const buyers = [...plan.buyerDeltas].map(([key, { saleId, buyerId, units }]) => {
    const limitUnits = rows.sales.get(saleId)?.sale.limitUnits;
    invariant(limitUnits !== undefined, `sale ${saleId} was read`);
    const row = rows.buyers.get(key) ?? { saleId, buyerId, units: 0, limitUnits };
    return { ...row, units: row.units + units };
  });
  const segments = [...plan.settledThrough].map(([name, position]) => {
    const segment = rows.segments.get(name);
    invariant(segment, `segment ${name} was read`);
    return comparePositions(position, segment.settledThrough) > 0 ? { ...segment, settledThrough: position } : segment;
  });
  return { quotas, buyers, segments, newOrders: plan.newOrders, newReleases: plan.newReleases, entries: plan.entries };
}
