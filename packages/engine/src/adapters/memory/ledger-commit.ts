/** Changes to the rows of the memory ledger: all of them, or none when one would break a law. */
import { quotaName, segmentName } from '../../domain/inventory/quota.ts';
import { buyerKey } from '../../domain/ledger/decide-settlement.ts';
import { claimId, segmentOf } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import { checkLaws } from './ledger-laws.ts';
import { type Changes, positionName, type Rows } from './ledger-rows.ts';

export function commit(rows: Rows, changes: Changes): void {
  checkLaws(rows, changes);
  write(rows, changes);
}

function write(rows: Rows, changes: Changes): void {
  for (const row of changes.sales ?? []) rows.sales.set(row.sale.id, row);
  for (const segment of changes.segments ?? []) rows.segments.set(segmentName(segment), segment);
  for (const quota of changes.quotas ?? []) rows.quotas.set(quotaName(quota), quota);
  for (const buyer of changes.buyers ?? []) rows.buyers.set(buyerKey(buyer.saleId, buyer.buyerId), buyer);
  for (const order of changes.newOrders ?? []) writeOrder(rows, order);
  for (const row of changes.newQuarantine ?? []) rows.quarantine.set(claimId(row.claim), row);
  writeInTransit(rows, changes);
  for (const entry of changes.entries ?? []) listIn(rows.journal, entry.saleId).push(entry);
}

function writeOrder(rows: Rows, order: Order): void {
  rows.orders.set(order.orderId, order);
  rows.orderIdsByPosition.set(positionName(order), order.orderId);
  listIn(rows.ordersOfSegment, segmentName(segmentOf(order))).push(order);
}

function writeInTransit(rows: Rows, changes: Changes): void {
  for (const move of changes.newMoves ?? []) {
    rows.moves.set(move.id, move);
    rows.openMoves.set(move.id, move);
  }
  for (const release of changes.newReleases ?? []) {
    rows.releases.set(release.id, release);
    rows.openReleases.set(release.id, release);
  }
  for (const move of changes.closedMoves ?? []) rows.openMoves.delete(move.id);
  for (const release of changes.closedReleases ?? []) rows.openReleases.delete(release.id);
}

function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
