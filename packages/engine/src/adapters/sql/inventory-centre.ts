/** The inventory centre in SQL. */

import type { SaleId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { decideStock, type StockChange } from '../../domain/inventory/decide-stock.ts';
import { moveArrived, releaseArrived, stockReceived } from '../../domain/ledger/entry.ts';
import type { AllotRequest, AllotResult, InventoryCentre, ReceiveStockResult } from '../../ports/inventory-centre.ts';
import { lockSale } from './centre-rows.ts';
import type { SqlContext } from './context.ts';
import { issueMove } from './issue-move.ts';
import { openEpoch } from './open-epoch.ts';
import { centreOfRow, moveOfRow, releaseOfRow } from './rows.ts';
import { lockSegments } from './segment-rows.ts';
import type { Reader } from './settlement-view.ts';
import { readStock } from './stock.ts';
import { closeWithdrawal, finishReturn, issueReturn, openWithdrawal, usedDelivery } from './withdrawals.ts';

export function createSqlInventoryCentre({ db, dialect, statements }: SqlContext): InventoryCentre {
  const inTransaction = <T>(work: (reader: Reader) => Promise<T>): Promise<T> =>
    db.transaction().execute((trx) => work({ trx, dialect, statements }));

  return {
    stock: (saleId, claims) =>
      // Many statements, one moment.
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute((trx) => readStock({ trx, dialect, statements }, saleId, claims)),
    receiveStock: (saleId, change) => inTransaction((reader) => receiveStock(reader, saleId, change)),
    allot: (request) => inTransaction((reader) => allot(reader, request)),
    openWithdrawal: (request) => inTransaction((reader) => openWithdrawal(reader, request)),
    closeWithdrawal: (id) => inTransaction((reader) => closeWithdrawal(reader, id)),
    issueReturn: (request) => inTransaction((reader) => issueReturn(reader, request)),
    finishReturn: (moveId, units) => inTransaction((reader) => finishReturn(reader, moveId, units)),
    finishMove: (moveId) => inTransaction((reader) => finishMove(reader, moveId)),
    finishRelease: (releaseId) => inTransaction((reader) => finishRelease(reader, releaseId)),
    openEpoch: (request) => inTransaction((reader) => openEpoch(reader, request)),
  };
}

async function receiveStock(reader: Reader, saleId: SaleId, change: StockChange): Promise<ReceiveStockResult> {
  const { trx, statements } = reader;
  const sale = await lockSale(reader, saleId);
  if (!sale) return { kind: 'absent' };
  const earlier = await trx
    .selectFrom('deliveries')
    .select('units')
    .where('sale_id', '=', saleId)
    .where('id', '=', change.id)
    .executeTakeFirst();
  // An id that was used to take stock away was used for less than nothing.
  const withdrawn = await usedDelivery(reader, saleId, change.id);
  const receivedUnits = earlier?.units ?? (withdrawn ? -withdrawn.units : null);
  const view = { state: sale.state, centre: centreOfRow(sale), receivedUnits };
  const decision = decideStock(view, change);
  if (decision.kind !== 'received') return decision;
  await trx
    .updateTable('sales')
    .set((eb) => ({
      total_units: eb('total_units', '+', change.units),
      free_units: eb('free_units', '+', change.units),
      generation: eb('generation', '+', 1),
    }))
    .where('id', '=', saleId)
    .execute();
  await trx.insertInto('deliveries').values({ sale_id: saleId, id: change.id, units: change.units }).execute();
  await statements.insertEntries(trx, [stockReceived(saleId, change.units, change.id)]);
  return decision;
}

async function allot(reader: Reader, request: AllotRequest): Promise<AllotResult> {
  const { moveId, quota } = request;
  await lockSegments(reader, [quota]);
  const sale = await lockSale(reader, quota.saleId);
  invariant(sale, `sale ${quota.saleId} is in the ledger`);
  const earlier = await reader.trx.selectFrom('moves').selectAll().where('id', '=', moveId).executeTakeFirst();
  return earlier ? { kind: 'allotted', move: moveOfRow(earlier) } : issueMove(reader, request);
}

async function finishMove({ trx, statements }: Reader, moveId: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('moves')
    .set({ state: 'applied' })
    .where('id', '=', moveId)
    .where('state', '=', 'issued')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  const row = await trx.selectFrom('moves').selectAll().where('id', '=', moveId).executeTakeFirstOrThrow();
  await statements.insertEntries(trx, [moveArrived(moveOfRow(row))]);
}

async function finishRelease({ trx, statements }: Reader, releaseId: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('releases')
    .set({ state: 'delivered' })
    .where('id', '=', releaseId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  const row = await trx.selectFrom('releases').selectAll().where('id', '=', releaseId).executeTakeFirstOrThrow();
  await statements.insertEntries(trx, releaseArrived(releaseOfRow(row)));
}
