/** The laws of the ledger's schema, for rows in memory: what breaks one is refused before anything is written. */
import { Fault } from '../../domain/fault.ts';
import type { OrderId } from '../../domain/ids.ts';
import { isUnitCount } from '../../domain/invariant.ts';
import type { Centre } from '../../domain/inventory/centre.ts';
import type { ReturnMove } from '../../domain/inventory/move.ts';
import { type Quota, quotaName, unorderedUnits } from '../../domain/inventory/quota.ts';
import { claimId } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import { type BuyerRow, type Changes, positionName, type Rows } from './ledger-rows.ts';

export function checkLaws(rows: Rows, changes: Changes): void {
  for (const row of changes.sales ?? []) checkCentre(row.centre);
  for (const quota of changes.quotas ?? []) checkQuota(quota);
  for (const buyer of changes.buyers ?? []) checkBuyer(buyer);
  for (const entry of changes.entries ?? []) law(isUnitCount(entry.units) && entry.units > 0, 'an entry moves units');
  checkNewOrders(rows, changes.newOrders ?? []);
  checkChangedOrders(rows, changes);
  checkAllotted(rows, changes);
}

function law(holds: boolean, sentence: string): void {
  if (!holds) throw new Fault('ledger_constraint', `The ledger refused rows: ${sentence} must hold.`);
}

function checkCentre(centre: Centre): void {
  law(isUnitCount(centre.freeUnits) && isUnitCount(centre.allottedUnits), 'free, allotted >= 0');
  law(centre.freeUnits + centre.allottedUnits === centre.totalUnits, 'free + allotted = total');
}

function checkQuota(quota: Quota): void {
  const parts = [quota.allottedUnits, quota.heldUnits, quota.soldUnits, quota.quarantinedUnits];
  law(parts.every(isUnitCount), 'allotted, held, sold, quarantined >= 0');
  law(unorderedUnits(quota) >= 0, 'held + sold + quarantined <= allotted');
}

function checkBuyer(buyer: BuyerRow): void {
  law(isUnitCount(buyer.units), 'units of a buyer >= 0');
  law(buyer.units <= buyer.limitUnits, 'units of a buyer <= limit');
}

export function checkFigure({ units: wanted }: ReturnMove, units: number): void {
  law(isUnitCount(units) && (wanted === null || units <= wanted), 'a return brings no more than is wanted');
}

function checkNewOrders(rows: Rows, newOrders: readonly Order[]): void {
  const positions = new Set<string>();
  for (const order of newOrders) {
    const position = positionName(order);
    law(isUnitCount(order.units) && order.units > 0, 'units of an order > 0');
    law(!rows.orders.has(order.orderId), 'one order per order id');
    law(!rows.orderIdsByPosition.has(position) && !positions.has(position), 'one order per position of a segment');
    positions.add(position);
  }
}

/** Compare-and-set; an order that is new in the same step, or changes twice in it, is seen as the step has left it. */
function checkChangedOrders(rows: Rows, changes: Changes): void {
  const current = new Map<OrderId, Order>();
  for (const order of changes.newOrders ?? []) current.set(order.orderId, order);
  for (const { before, after } of changes.changedOrders ?? []) {
    const row = current.get(before.orderId) ?? rows.orders.get(before.orderId);
    law(row !== undefined && isSame(row, before), 'an order is what was read');
    current.set(after.orderId, after);
  }
}

function isSame(a: Order, b: Order): boolean {
  return a.state === b.state && claimId(a) === claimId(b);
}

/** Looked at only when a quota's allotted changes: settlement never does. */
function checkAllotted(rows: Rows, changes: Changes): void {
  const changed = (changes.quotas ?? []).filter(
    (quota) => quota.allottedUnits !== (rows.quotas.get(quotaName(quota))?.allottedUnits ?? 0),
  );
  const saleIds = new Set([
    ...changed.map((quota) => quota.saleId),
    ...(changes.sales ?? []).map((row) => row.sale.id),
  ]);
  for (const saleId of saleIds) {
    const quotas = new Map([...rows.quotas.values()].map((quota) => [quotaName(quota), quota]));
    for (const quota of changed) quotas.set(quotaName(quota), quota);
    const sum = [...quotas.values()]
      .filter((quota) => quota.saleId === saleId)
      .reduce((units, quota) => units + quota.allottedUnits, 0);
    const row = (changes.sales ?? []).find((candidate) => candidate.sale.id === saleId) ?? rows.sales.get(saleId);
    law(row?.centre.allottedUnits === sum, "a sale's allotted = the sum of its quotas' allotted");
  }
}
