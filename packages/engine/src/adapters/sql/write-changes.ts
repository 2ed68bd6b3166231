/**
 * Writes what a decision about orders wants written: few statements, deltas only, rows in the order in which they were
 * locked. The one home of that knowledge for SQL; settlement, payments and every end of an order come here.
 */
import { Fault } from '../../domain/fault.ts';
import { invariant } from '../../domain/invariant.ts';
import { quotaName } from '../../domain/inventory/quota.ts';
import type { BuyerDelta, LedgerChanges, OrderChange, QuotaDelta } from '../../domain/ledger/changes.ts';
import { addToAllotted } from './centre-rows.ts';
import { quotaColumns } from './rows.ts';
import type { LedgerTransaction } from './schema.ts';
import type { Reader } from './settlement-view.ts';

export async function writeChanges(
  reader: Reader,
  changes: LedgerChanges,
  limitOf: (limitScope: string) => number,
): Promise<void> {
  const { trx, statements } = reader;
  for (const delta of sortedByKey(changes.quotaDeltas)) await addToQuota(reader, delta);
  const buyers = sortedByKey(changes.buyerDeltas);
  const taken = buyers.filter((delta) => delta.units > 0);
  await statements.addToBuyers(
    trx,
    taken.map(({ limitScope, buyerId, units }) => ({
      ...{ limit_scope: limitScope, buyer_id: buyerId, limit_units: limitOf(limitScope), units },
    })),
  );
  for (const delta of buyers) if (delta.units < 0) await takeFromBuyer(trx, delta);
  await statements.insertOrders(trx, changes.newOrders);
  for (const change of changes.changedOrders) await changeOrderRow(trx, change);
  await statements.insertReleases(trx, changes.newReleases);
  await statements.insertEntries(trx, changes.entries);
  await statements.insertEvents(trx, changes.events);
  const payments = [...changes.payments.values()];
  const written = await statements.putPayments(trx, payments);
  // Two orders were told of one payment at the same moment: asked again, the decision sees whose it is.
  if (written < payments.length) throw new Fault('ledger_conflict', 'a payment was noted for another order meanwhile');
  await statements.putCharges(trx, [...changes.charges.values()]);
}

async function addToQuota(reader: Reader, delta: QuotaDelta): Promise<void> {
  const { trx, statements } = reader;
  const { quota: key, heldUnits, soldUnits, allottedUnits } = delta;
  if (heldUnits === 0 && soldUnits === 0 && allottedUnits === 0) return;
  const { numAffectedRows } = await statements.addToHeldAndSold(trx, { ...quotaColumns(key), heldUnits, soldUnits });
  invariant(numAffectedRows === 1n, `quota ${quotaName(key)} was read`);
  if (allottedUnits !== 0) await addToAllotted(reader, key, allottedUnits);
}

async function takeFromBuyer(trx: LedgerTransaction, { limitScope, buyerId, units }: BuyerDelta): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('buyers')
    .set((eb) => ({ units: eb('units', '+', units) }))
    .where('limit_scope', '=', limitScope)
    .where('buyer_id', '=', buyerId)
    .executeTakeFirstOrThrow();
  invariant(numUpdatedRows === 1n, 'a buyer who gives units back has some');
}

async function changeOrderRow(trx: LedgerTransaction, { before, after }: OrderChange): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('orders')
    .set({
      state: after.state,
      due_at_ms: after.dueAtMs,
      region: after.origin.region,
      segment: after.origin.segment,
      channel: after.origin.channel,
      epoch: after.origin.epoch,
      seq: after.origin.seq,
    })
    .where('order_id', '=', before.orderId)
    .where('state', '=', before.state)
    .where('epoch', '=', before.origin.epoch)
    .where('seq', '=', before.origin.seq)
    .executeTakeFirstOrThrow();
  invariant(numUpdatedRows === 1n, `order ${before.orderId} is what was read`);
}

function sortedByKey<T>(values: ReadonlyMap<string, T>): readonly T[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
