/** Settles a sale in SQL: all that may be open is counted in the transaction that changes the state. */
import { sql } from 'kysely';
import type { SaleId } from '../../domain/ids.ts';
import type { Balance } from '../../domain/ledger/balance.ts';
import { ACCOUNTS, type Account } from '../../domain/ledger/entry.ts';
import { decideSettle, type GatesAtRest, type SettleView } from '../../domain/sale/decide-settle.ts';
import type { SettleSaleResult } from '../../ports/sales.ts';
import { lockSale } from './centre-rows.ts';
import { centreOfRow, quotaOfRow, saleOf, segmentKeyOf, segmentRecordOf } from './rows.ts';
import type { SaleTable } from './schema.ts';
import { lockSegments } from './segment-rows.ts';
import type { Reader } from './settlement-view.ts';

export async function settleSale(reader: Reader, saleId: SaleId, gates: GatesAtRest): Promise<SettleSaleResult> {
  const { trx } = reader;
  const keys = await trx
    .selectFrom('segments')
    .select(['sale_id', 'region', 'segment'])
    .where('sale_id', '=', saleId)
    .execute();
  // The segments first, as everybody does: no order can end and no epoch open until this has decided.
  const segmentRows = await lockSegments(reader, keys.map(segmentKeyOf));
  const row = await lockSale(reader, saleId);
  if (!row) return { kind: 'absent' };
  const segments = segmentRows.map((segment) => segmentRecordOf(segment, []));
  const decision = decideSettle({ ...(await readView(reader, row)), segments }, gates);
  if (decision.kind !== 'settle') return { ...decision, sale: saleOf(row) };
  const next = { state: 'settled', version: row.version + 1 } as const;
  await trx.updateTable('sales').set(next).where('id', '=', saleId).execute();
  return { kind: 'changed', sale: saleOf({ ...row, ...next }) };
}

async function readView(reader: Reader, row: SaleTable): Promise<Omit<SettleView, 'segments'>> {
  const { trx } = reader;
  const quotas = await trx.selectFrom('quotas').selectAll().where('sale_id', '=', row.id).execute();
  return {
    ...{ state: row.state, centre: centreOfRow(row), quotas: quotas.map(quotaOfRow) },
    unpaidOrders: await count(
      trx.selectFrom('orders').select(COUNT).where('sale_id', '=', row.id).where('state', '=', 'pending'),
    ),
    latePayments: await count(
      trx
        .selectFrom('payments')
        .innerJoin('orders', 'orders.order_id', 'payments.order_id')
        .select(COUNT)
        .where('orders.sale_id', '=', row.id)
        .where('payments.state', '=', 'reclaiming'),
    ),
    openMoves: await count(
      trx.selectFrom('moves').select(COUNT).where('sale_id', '=', row.id).where('state', '=', 'issued'),
    ),
    openReturns: await count(
      trx.selectFrom('returns').select(COUNT).where('sale_id', '=', row.id).where('state', '=', 'issued'),
    ),
    openReleases: await count(
      trx.selectFrom('releases').select(COUNT).where('sale_id', '=', row.id).where('state', '=', 'open'),
    ),
    openWithdrawals: await count(
      trx.selectFrom('withdrawals').select(COUNT).where('sale_id', '=', row.id).where('state', '=', 'open'),
    ),
    balance: await readBalance(reader, row.id),
  };
}

const COUNT = sql<number>`count(*)`.as('count');

async function count(query: { executeTakeFirstOrThrow(): Promise<{ readonly count: number }> }): Promise<number> {
  // Some drivers give what they count as text.
  return Number((await query.executeTakeFirstOrThrow()).count);
}

/** Summed where the journal is: a sale of a million orders has millions of entries. */
async function readBalance({ trx }: Reader, saleId: SaleId): Promise<Balance> {
  const rows = await trx
    .selectFrom('journal')
    .select(['from_account', 'to_account', sql<number>`sum(units)`.as('units')])
    .where('sale_id', '=', saleId)
    .groupBy(['from_account', 'to_account'])
    .execute();
  const balance = Object.fromEntries(ACCOUNTS.map((account) => [account, 0])) as Record<Account, number>;
  for (const row of rows) {
    balance[row.from_account] -= Number(row.units);
    balance[row.to_account] += Number(row.units);
  }
  return balance;
}
