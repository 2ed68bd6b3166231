/** Everything the ledger knows of a sale's stock, in one transaction: at one moment. */
import type { SaleId } from '../../domain/ids.ts';
import type { Claim } from '../../domain/order/claim.ts';
import type { Stock } from '../../ports/inventory-centre.ts';
import {
  centreOfRow,
  moveOfRow,
  quotaOfRow,
  releaseOfRow,
  returnOfRow,
  saleOf,
  segmentRecordOf,
  toldOfRow,
  withdrawalOfRow,
} from './rows.ts';
import type { Reader } from './settlement-view.ts';

export async function readStock(reader: Reader, saleId: SaleId, claims: readonly Claim[]): Promise<Stock | null> {
  const { trx, statements } = reader;
  const sale = await trx.selectFrom('sales').selectAll().where('id', '=', saleId).executeTakeFirst();
  if (!sale) return null;

  const quotas = await trx.selectFrom('quotas').selectAll().where('sale_id', '=', saleId).execute();
  const segments = await trx
    .selectFrom('segments')
    .selectAll()
    .where('sale_id', '=', saleId)
    .orderBy('region')
    .orderBy('segment')
    .execute();
  const cuts = await trx.selectFrom('cuts').selectAll().where('sale_id', '=', saleId).execute();
  const moves = await trx
    .selectFrom('moves')
    .selectAll()
    .where('sale_id', '=', saleId)
    .where('state', '=', 'issued')
    .execute();
  const releases = await trx
    .selectFrom('releases')
    .selectAll()
    .where('sale_id', '=', saleId)
    .where('state', '=', 'open')
    .execute();
  const returns = await trx
    .selectFrom('returns')
    .selectAll()
    .where('sale_id', '=', saleId)
    .where('state', '=', 'issued')
    .execute();
  const withdrawals = await trx
    .selectFrom('withdrawals')
    .selectAll()
    .where('sale_id', '=', saleId)
    .where('state', '=', 'open')
    .execute();
  return {
    sale: saleOf(sale),
    centre: centreOfRow(sale),
    quotas: quotas.map(quotaOfRow),
    segments: segments.map((segment) => segmentRecordOf(segment, cuts)),
    openMoves: moves.map(moveOfRow),
    openReleases: releases.map(releaseOfRow),
    openReturns: returns.map(returnOfRow),
    openWithdrawals: withdrawals.map(withdrawalOfRow),
    ...{ generation: sale.generation, told: toldOfRow(sale) },
    knownClaimIds: await statements.knownAmong(trx, claims),
  };
}
