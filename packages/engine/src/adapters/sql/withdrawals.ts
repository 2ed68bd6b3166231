/** Stock that leaves a sale, and moves back to its centre, in SQL. */
import { sql } from 'kysely';
import type { SaleId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import {
  decideCloseWithdrawal,
  decideWithdrawal,
  type Withdrawal,
  type WithdrawalAnswer,
  type WithdrawalRequest,
} from '../../domain/inventory/decide-withdrawal.ts';
import { type Move, onwardMoveId, onwardQuota, type ReturnMove } from '../../domain/inventory/move.ts';
import { quotaName, unorderedUnits } from '../../domain/inventory/quota.ts';
import { returnFinished, stockWithdrawn } from '../../domain/ledger/entry.ts';
import type { IssueReturnResult, ReturnRequest, WithdrawResult } from '../../ports/inventory-centre.ts';
import { addToAllotted, lockSale } from './centre-rows.ts';
import { issueMove } from './issue-move.ts';
import { centreOfRow, moveOfRow, quotaColumns, quotaOfRow, returnOfRow, withdrawalOfRow } from './rows.ts';
import type { WithdrawalTable } from './schema.ts';
import { lockSegments } from './segment-rows.ts';
import type { Reader } from './settlement-view.ts';

export async function openWithdrawal(reader: Reader, request: WithdrawalRequest): Promise<WithdrawResult> {
  const { trx } = reader;
  const { saleId, delivery } = request;
  const sale = await lockSale(reader, saleId);
  if (!sale) return { kind: 'absent' };
  const received = await trx
    .selectFrom('deliveries')
    .select('units')
    .where('sale_id', '=', saleId)
    .where('id', '=', delivery)
    .executeTakeFirst();
  const quotas = await trx.selectFrom('quotas').selectAll().where('sale_id', '=', saleId).execute();
  const own = await trx.selectFrom('withdrawals').selectAll().where('id', '=', request.id).executeTakeFirst();
  const known = own ?? (await usedDelivery(reader, saleId, delivery));
  const view = {
    ...{ state: sale.state, centre: centreOfRow(sale), receivedUnits: received?.units ?? null },
    unorderedUnits: quotas.map(quotaOfRow).reduce((units, quota) => units + unorderedUnits(quota), 0),
    known: known ? withdrawalOfRow(known) : null,
  };
  const answer = decideWithdrawal(view, request);
  const state = stateOf(answer);
  if (known || !state) return answer;
  await trx
    .insertInto('withdrawals')
    .values({ id: request.id, sale_id: saleId, delivery, units: request.units, state })
    .execute();
  if (state === 'withdrawn') await takeFromTotal(reader, request);
  return answer;
}

export async function closeWithdrawal(reader: Reader, id: string): Promise<WithdrawResult> {
  const { trx } = reader;
  const seen = await trx.selectFrom('withdrawals').select('sale_id').where('id', '=', id).executeTakeFirst();
  const sale = seen && (await lockSale(reader, seen.sale_id));
  if (!sale) return { kind: 'absent' };
  const row = await trx.selectFrom('withdrawals').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const { count } = await trx
    .selectFrom('returns')
    .select(sql<number>`count(*)`.as('count'))
    .where('sale_id', '=', sale.id)
    .where('state', '=', 'issued')
    .executeTakeFirstOrThrow();
  const withdrawal = withdrawalOfRow(row);
  const answer = decideCloseWithdrawal({ centre: centreOfRow(sale), openReturns: Number(count) }, withdrawal);
  const state = stateOf(answer);
  if (row.state !== 'open' || !state || state === 'open') return answer;
  await trx.updateTable('withdrawals').set({ state }).where('id', '=', id).execute();
  if (state === 'withdrawn') await takeFromTotal(reader, withdrawal);
  return answer;
}

/** An attempt that took this delivery id and was not refused. */
export function usedDelivery({ trx }: Reader, saleId: SaleId, delivery: string): Promise<WithdrawalTable | undefined> {
  return trx
    .selectFrom('withdrawals')
    .selectAll()
    .where('sale_id', '=', saleId)
    .where('delivery', '=', delivery)
    .where('state', '<>', 'refused')
    .executeTakeFirst();
}

/** Null: nothing is to be written. */
function stateOf({ kind }: WithdrawalAnswer): Withdrawal['state'] | null {
  return kind === 'withdrawn' || kind === 'refused' || kind === 'open' ? kind : null;
}

async function takeFromTotal(
  { trx, statements }: Reader,
  { saleId, units, delivery }: WithdrawalRequest,
): Promise<void> {
  await trx
    .updateTable('sales')
    .set((eb) => ({ total_units: eb('total_units', '-', units), free_units: eb('free_units', '-', units) }))
    .where('id', '=', saleId)
    .execute();
  await statements.insertEntries(trx, [stockWithdrawn(saleId, units, delivery)]);
}

export async function issueReturn(reader: Reader, request: ReturnRequest): Promise<IssueReturnResult> {
  const { moveId, quota: key, units, onwardTo = null } = request;
  const { trx } = reader;
  const [segment] = await lockSegments(reader, [key]);
  const earlier = await trx.selectFrom('returns').selectAll().where('id', '=', moveId).executeTakeFirst();
  if (earlier) return { kind: 'issued', move: returnOfRow(earlier) };
  const sale = await trx.selectFrom('sales').select('state').where('id', '=', key.saleId).executeTakeFirst();
  invariant(segment && sale, `quota ${quotaName(key)} is in the ledger`);
  if (sale.state === 'settled') return { kind: 'refused', reason: 'sale_settled' };
  const columns = quotaColumns(key);
  const { saleId, region, channel } = key;
  const quota = { saleId, region, segment: key.segment, channel };
  const move: ReturnMove = { id: moveId, quota, units, epoch: segment.epoch, onwardTo };
  await trx
    .insertInto('returns')
    .values({
      ...{ id: moveId, ...columns, wanted_units: units, epoch: move.epoch, state: 'issued', units: null },
      onward_to: onwardTo,
    })
    .execute();
  return { kind: 'issued', move };
}

export async function finishReturn(reader: Reader, moveId: string, units: number): Promise<Move | null> {
  const { trx, statements } = reader;
  const seen = await trx.selectFrom('returns').selectAll().where('id', '=', moveId).executeTakeFirst();
  if (!seen) return null;
  const move = returnOfRow(seen);
  const onward = onwardQuota(move);
  // The segments first, as whoever allots or opens an epoch does.
  await lockSegments(reader, onward ? [move.quota, onward] : [move.quota]);
  const { numUpdatedRows } = await trx
    .updateTable('returns')
    .set({ state: 'finished', units })
    .where('id', '=', moveId)
    .where('state', '=', 'issued')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return onward && moveNamed(reader, onwardMoveId(moveId));
  if (units === 0) return null;
  await addToAllotted(reader, move.quota, -units);
  await trx
    .updateTable('sales')
    .set((eb) => ({ generation: eb('generation', '+', 1) }))
    .where('id', '=', move.quota.saleId)
    .execute();
  await statements.insertEntries(trx, returnFinished(move, units));
  if (!onward) return null;
  const sent = await issueMove(reader, { moveId: onwardMoveId(moveId), quota: onward, units });
  return sent.kind === 'allotted' ? sent.move : null;
}

async function moveNamed({ trx }: Reader, id: string): Promise<Move | null> {
  const row = await trx.selectFrom('moves').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? moveOfRow(row) : null;
}
