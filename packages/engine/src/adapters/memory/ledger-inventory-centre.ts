/** The inventory centre in memory. */
import type { EpochSnapshot } from '../../domain/gate/plan-load.ts';
import type { SaleId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { afterAllot, decideAllot } from '../../domain/inventory/centre.ts';
import { decideStock } from '../../domain/inventory/decide-stock.ts';
import type { Move } from '../../domain/inventory/move.ts';
import { quotaName, type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import { moveArrived, moveIssued, releaseArrived, stockReceived } from '../../domain/ledger/entry.ts';
import { countClaims, openNextEpoch, type SegmentRecord } from '../../domain/ledger/epoch.ts';
import { type Claim, claimId, segmentOf } from '../../domain/order/claim.ts';
import { termsOf } from '../../domain/sale/sale.ts';
import type { InventoryCentre, Stock } from '../../ports/inventory-centre.ts';
import { commit } from './ledger-commit.ts';
import { deliveryKey, isKnownClaim, isOfSegment, ordersOfSegment, type Rows } from './ledger-rows.ts';
import { createMemoryWithdrawals, openWithdrawalsOf } from './ledger-withdrawals.ts';

export function createMemoryInventoryCentre(rows: Rows): InventoryCentre {
  return {
    ...createMemoryWithdrawals(rows),

    async stock(saleId, claims) {
      return stockOf(rows, saleId, claims);
    },

    async receiveStock(saleId, change) {
      const row = rows.sales.get(saleId);
      if (!row) return { kind: 'absent' };
      const receivedUnits =
        rows.stockDeliveries.get(deliveryKey(saleId, change.id)) ?? withdrawnUnits(rows, saleId, change.id);
      const decision = decideStock({ state: row.sale.state, centre: row.centre, receivedUnits }, change);
      if (decision.kind !== 'received') return decision;
      commit(rows, {
        sales: [
          {
            sale: { ...row.sale, totalUnits: decision.centre.totalUnits },
            ...{ centre: decision.centre, generation: row.generation + 1, told: row.told },
          },
        ],
        deliveries: [[deliveryKey(saleId, change.id), change.units]],
        entries: [stockReceived(saleId, change.units, change.id)],
      });
      return decision;
    },

    async allot({ moveId, quota: key, units: unitsWanted }) {
      const earlier = rows.moves.get(moveId);
      if (earlier) return { kind: 'allotted', move: earlier };

      const row = rows.sales.get(key.saleId);
      const quota = rows.quotas.get(quotaName(key));
      const segment = rows.segments.get(segmentName(key));
      invariant(row && quota && segment, `quota ${quotaName(key)} is in the ledger`);
      const isWithdrawing = openWithdrawalsOf(rows, key.saleId).length > 0;
      const view = { centre: row.centre, state: row.sale.state, isWithdrawing };
      const decision = decideAllot(view, unitsWanted);
      if (decision.kind === 'refused') return decision;

      const { saleId, region, channel } = quota;
      const move: Move = {
        id: moveId,
        quota: { saleId, region, segment: quota.segment, channel },
        units: decision.units,
        epoch: segment.epoch,
      };
      commit(rows, {
        sales: [{ ...row, centre: afterAllot(row.centre, move.units) }],
        quotas: [{ ...quota, allottedUnits: quota.allottedUnits + move.units }],
        newMoves: [move],
        entries: [moveIssued(move)],
      });
      return { kind: 'allotted', move };
    },

    async finishMove(moveId) {
      const move = rows.openMoves.get(moveId);
      if (move) commit(rows, { closedMoves: [move], entries: [moveArrived(move)] });
    },

    async finishRelease(releaseId) {
      const release = rows.openReleases.get(releaseId);
      if (release) commit(rows, { closedReleases: [release], entries: releaseArrived(release) });
    },

    async openEpoch({ segment: key, fromEpoch, gateEpoch = 0, cutThrough, queued }) {
      const before = rows.segments.get(segmentName(key));
      invariant(before, `segment ${segmentName(key)} is in the ledger`);
      if (rows.sales.get(key.saleId)?.sale.state === 'settled') return { kind: 'settled' };
      if (before.epoch !== fromEpoch) return { kind: 'stale', epoch: before.epoch };

      const opened = openNextEpoch(before, cutThrough, gateEpoch);
      const closedMoves = [...rows.openMoves.values()].filter((move) => isOfSegment(move.quota, key));
      const closedReturns = [...rows.openReturns.values()].filter((move) => isOfSegment(move.quota, key));
      const closedReleases = [...rows.openReleases.values()].filter((release) => isOfSegment(segmentOf(release), key));
      commit(rows, {
        segments: [opened],
        closedMoves,
        // Void: what they debited was debited at a gate that is no more, and is in the load.
        closedReturns,
        closedReleases,
        entries: [...closedMoves.map(moveArrived), ...closedReleases.flatMap(releaseArrived)],
      });
      return { kind: 'opened', snapshot: snapshotOf(rows, opened, queued) };
    },
  };
}

/** A delivery id that was used to take stock away was used for less than nothing. */
function withdrawnUnits(rows: Rows, saleId: SaleId, delivery: string): number | null {
  const used = [...rows.withdrawals.values()].find(
    (each) => each.saleId === saleId && each.delivery === delivery && each.state !== 'refused',
  );
  return used ? -used.units : null;
}

function stockOf(rows: Rows, saleId: SaleId, claims: readonly Claim[]): Stock | null {
  const row = rows.sales.get(saleId);
  if (!row) return null;
  return {
    sale: row.sale,
    centre: row.centre,
    quotas: [...rows.quotas.values()].filter((quota) => quota.saleId === saleId),
    segments: [...rows.segments.values()].filter((segment) => segment.saleId === saleId),
    openMoves: [...rows.openMoves.values()].filter((move) => move.quota.saleId === saleId),
    openReleases: [...rows.openReleases.values()].filter((release) => release.saleId === saleId),
    openReturns: [...rows.openReturns.values()].filter((move) => move.quota.saleId === saleId),
    openWithdrawals: openWithdrawalsOf(rows, saleId),
    ...{ generation: row.generation, told: row.told },
    knownClaimIds: knownAmong(rows, claims),
  };
}

function snapshotOf(rows: Rows, segment: SegmentRecord, queued: readonly Claim[]): EpochSnapshot {
  const row = rows.sales.get(segment.saleId);
  invariant(row, `sale ${segment.saleId} is in the ledger`);
  const key: SegmentKey = { saleId: segment.saleId, region: segment.region, segment: segment.segment };
  return {
    segment: key,
    epoch: segment.epoch,
    terms: termsOf(row.sale),
    quotas: [...rows.quotas.values()].filter((quota) => isOfSegment(quota, key)),
    orders: ordersOfSegment(rows, key),
    countedClaims: countClaims(segment, queued, knownAmong(rows, queued)),
  };
}

function knownAmong(rows: Rows, claims: readonly Claim[]): ReadonlySet<string> {
  return new Set(claims.filter((claim) => isKnownClaim(rows, claim)).map(claimId));
}
