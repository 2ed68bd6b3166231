/** Events of sales, in SQL: written behind the lock of the sale's row, so that their ids rise in the order of what happened. */
import type { SaleId } from '../../domain/ids.ts';
import { decideNotice, isSoldOut, type NoticeDecision, SALE_CONDITIONS } from '../../domain/sale/decide-notice.ts';
import type { SaleEvent } from '../../domain/sale/sale-event.ts';
import type { SaleNotice } from '../../ports/sales.ts';
import { lockSale } from './centre-rows.ts';
import { quotaOfRow, toldOfRow } from './rows.ts';
import type { LedgerTransaction } from './schema.ts';
import { type Reader, readNowMs } from './settlement-view.ts';

export async function insertSaleEvent(trx: LedgerTransaction, event: SaleEvent): Promise<void> {
  const { type, saleId, state, totalUnits, surplusUnits, atMs } = event;
  const units = { total_units: totalUnits, surplus_units: surplusUnits };
  await trx
    .insertInto('sale_events')
    .values({ sale_id: saleId, type, state, ...units, at_ms: atMs })
    .execute();
}

export async function noticeCondition(reader: Reader, saleId: SaleId, notice: SaleNotice): Promise<NoticeDecision> {
  const { trx } = reader;
  const row = await lockSale(reader, saleId);
  if (!row) return 'as_before';
  const { condition } = notice;
  const quotas = await trx.selectFrom('quotas').selectAll().where('sale_id', '=', saleId).execute();
  const surplusUnits = notice.condition === 'unbalanced' ? notice.surplusUnits : null;
  const holds = surplusUnits === null ? isSoldOut(row.total_units, quotas.map(quotaOfRow)) : surplusUnits !== 0;
  const decision = decideNotice(holds, toldOfRow(row)[condition]);
  if (decision === 'as_before') return decision;
  const isTold = holds ? 1 : 0;
  await trx
    .updateTable('sales')
    .set(condition === 'soldOut' ? { is_told_sold_out: isTold } : { is_told_unbalanced: isTold })
    .where('id', '=', saleId)
    .execute();
  if (decision === 'tell') {
    const type = SALE_CONDITIONS[condition];
    const { state, total_units: totalUnits } = row;
    await insertSaleEvent(trx, { type, saleId, state, totalUnits, surplusUnits, atMs: await readNowMs(reader) });
  }
  return decision;
}
