/** Changes to the rows of the memory ledger: all of them, or none when one would break a law. */
import { quotaName, segmentName } from '../../domain/inventory/quota.ts';
import { buyerKey, paymentKey } from '../../domain/ledger/changes.ts';
import type { Charge } from '../../domain/order/charge.ts';
import { claimId, segmentOf } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import type { Payment } from '../../domain/order/payment.ts';
import type { StoredEvent } from '../../domain/outbox/outbox-event.ts';
import { checkLaws } from './ledger-laws.ts';
import { type Changes, positionName, type Rows } from './ledger-rows.ts';

export function commit(rows: Rows, changes: Changes): void {
  checkLaws(rows, changes);
  write(rows, changes);
}

function write(rows: Rows, changes: Changes): void {
  for (const row of changes.sales ?? []) rows.sales.set(row.sale.id, row);
  for (const [scope, terms] of changes.limitScopes ?? []) rows.limitScopes.set(scope, terms);
  for (const segment of changes.segments ?? []) rows.segments.set(segmentName(segment), segment);
  for (const quota of changes.quotas ?? []) rows.quotas.set(quotaName(quota), quota);
  for (const buyer of changes.buyers ?? []) rows.buyers.set(buyerKey(buyer.limitScope, buyer.buyerId), buyer);
  for (const order of changes.newOrders ?? []) writeOrder(rows, order);
  for (const { after } of changes.changedOrders ?? []) writeOrder(rows, after);
  for (const row of changes.newQuarantine ?? []) rows.quarantine.set(claimId(row.claim), row);
  for (const id of changes.closedQuarantine ?? []) rows.quarantine.delete(id);
  for (const [key, units] of changes.deliveries ?? []) rows.stockDeliveries.set(key, units);
  writeInTransit(rows, changes);
  writeReturns(rows, changes);
  for (const entry of changes.entries ?? []) listIn(rows.journal, entry.saleId).push(entry);
  for (const event of changes.events ?? []) listIn(rows.events, event.orderId).push(event);
  writeOutbox(rows, changes);
  for (const payment of changes.payments ?? []) writePayment(rows, payment);
  for (const charge of changes.charges ?? []) writeCharge(rows, charge);
  for (const [orderId, buyerId] of changes.parkedCancels ?? []) rows.parkedCancels.set(orderId, buyerId);
}

function writeOrder(rows: Rows, order: Order): void {
  rows.orders.set(order.orderId, order);
  rows.orderIdsByPosition.set(positionName(order), order.orderId);
  const name = segmentName(segmentOf(order));
  rows.orderIdsOfSegment.set(name, (rows.orderIdsOfSegment.get(name) ?? new Set()).add(order.orderId));
  if (order.state === 'pending') rows.pendingOrders.set(order.orderId, order);
  else rows.pendingOrders.delete(order.orderId);
}

function writePayment(rows: Rows, payment: Payment): void {
  const key = paymentKey(payment);
  rows.payments.set(key, payment);
  const ofOrder = rows.orderPayments.get(payment.orderId) ?? new Map<string, Payment>();
  rows.orderPayments.set(payment.orderId, ofOrder.set(key, payment));
  if (payment.state === 'reclaiming') rows.reclaiming.set(key, payment);
  else rows.reclaiming.delete(key);
}

function writeCharge(rows: Rows, charge: Charge): void {
  rows.charges.set(charge.orderId, charge);
  if (charge.state === 'open' || charge.state === 'due_back') rows.openCharges.set(charge.orderId, charge);
  else rows.openCharges.delete(charge.orderId);
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

function writeReturns(rows: Rows, changes: Changes): void {
  for (const move of changes.newReturns ?? []) {
    rows.returns.set(move.id, move);
    rows.openReturns.set(move.id, move);
  }
  for (const move of changes.closedReturns ?? []) rows.openReturns.delete(move.id);
  for (const withdrawal of changes.withdrawals ?? []) rows.withdrawals.set(withdrawal.id, withdrawal);
}

function writeOutbox(rows: Rows, { events = [], saleEvents = [] }: Changes): void {
  const nextNumber = () => ++rows.lastNumbers.event;
  for (const event of events) putWaiting(rows, { kind: 'order', number: nextNumber(), event });
  for (const event of saleEvents) putWaiting(rows, { kind: 'sale', number: nextNumber(), event });
}

function putWaiting(rows: Rows, stored: StoredEvent): void {
  rows.waitingEvents.set(stored.number, stored);
}

function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
