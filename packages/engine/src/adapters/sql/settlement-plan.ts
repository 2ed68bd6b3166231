/** Writes what a settlement has decided: few statements, deltas only, rows in the order in which they were locked. */

import { invariant } from '../../domain/invariant.ts';
import { type QuotaKey, quotaName } from '../../domain/inventory/quota.ts';
import type { SettlementPlan, SettlementView } from '../../domain/ledger/decide-settlement.ts';
import { comparePositions } from '../../domain/order/claim.ts';
import { quotaColumns, segmentColumns } from './rows.ts';
import type { BuyerTable, LedgerTransaction } from './schema.ts';
import type { Reader } from './settlement-view.ts';

export async function writePlan(reader: Reader, view: SettlementView, plan: SettlementPlan): Promise<void> {
  const { trx, statements } = reader;
  await writePositions(trx, view, plan);
  for (const { quota, units } of sortedByKey(plan.heldDeltas)) await addHeld(trx, quota, units);
  await statements.addToBuyers(trx, buyerRows(view, plan));
  await statements.insertOrders(trx, plan.newOrders);
  await statements.insertReleases(trx, plan.newReleases);
  await statements.insertEntries(trx, plan.entries);
}

async function writePositions(trx: LedgerTransaction, view: SettlementView, plan: SettlementPlan): Promise<void> {
  for (const [name, position] of [...plan.settledThrough].sort()) {
    const segment = view.segments.get(name);
    invariant(segment, `segment ${name} was read`);
    if (comparePositions(position, segment.settledThrough) <= 0) continue;
    const { sale_id, region, segment: number } = segmentColumns(segment);
    await trx
      .updateTable('segments')
      .set({ settled_epoch: position.epoch, settled_seq: position.seq })
      .where('sale_id', '=', sale_id)
      .where('region', '=', region)
      .where('segment', '=', number)
      .execute();
  }
}

async function addHeld(trx: LedgerTransaction, key: QuotaKey, units: number): Promise<void> {
  const { sale_id, region, segment, channel } = quotaColumns(key);
  const { numUpdatedRows } = await trx
    .updateTable('quotas')
    .set((eb) => ({ held_units: eb('held_units', '+', units) }))
    .where('sale_id', '=', sale_id)
    .where('region', '=', region)
    .where('segment', '=', segment)
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();
  invariant(numUpdatedRows === 1n, `quota ${quotaName(key)} was read`);
}

function buyerRows(view: SettlementView, plan: SettlementPlan): readonly BuyerTable[] {
  return sortedByKey(plan.buyerDeltas).map(({ saleId, buyerId, units }) => {
    const sale = view.sales.get(saleId);
    invariant(sale, `sale ${saleId} was read`);
    return { sale_id: saleId, buyer_id: buyerId, limit_units: sale.limitUnits, units };
  });
}

function sortedByKey<T>(values: ReadonlyMap<string, T>): readonly T[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
