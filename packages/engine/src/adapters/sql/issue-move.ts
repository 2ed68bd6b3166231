/** A move out of the centre, in SQL. The caller has locked the segment and the sale, in this order. */
import { decideAllot } from '../../domain/inventory/centre.ts';
import type { Move } from '../../domain/inventory/move.ts';
import { moveIssued } from '../../domain/ledger/entry.ts';
import type { AllotRequest, AllotResult } from '../../ports/inventory-centre.ts';
import { addToAllotted } from './centre-rows.ts';
import { centreOfRow, quotaColumns } from './rows.ts';
import type { Reader } from './settlement-view.ts';

export async function issueMove(
  reader: Reader,
  { moveId, quota: key, units: wanted }: AllotRequest,
): Promise<AllotResult> {
  const { trx, statements } = reader;
  const { saleId, region, segment: number, channel } = key;
  const sale = await trx.selectFrom('sales').selectAll().where('id', '=', saleId).executeTakeFirstOrThrow();
  const segment = await trx
    .selectFrom('segments')
    .select('epoch')
    .where('sale_id', '=', saleId)
    .where('region', '=', region)
    .where('segment', '=', number)
    .executeTakeFirstOrThrow();
  const withdrawing = await trx
    .selectFrom('withdrawals')
    .select('id')
    .where('sale_id', '=', saleId)
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst();
  const view = { centre: centreOfRow(sale), state: sale.state, isWithdrawing: withdrawing !== undefined };
  const decision = decideAllot(view, wanted);
  if (decision.kind === 'refused') return decision;

  const { units } = decision;
  const quota = { saleId, region, segment: number, channel };
  const move: Move = { id: moveId, quota, units, epoch: segment.epoch };
  await addToAllotted(reader, key, units);
  await trx
    .insertInto('moves')
    .values({ id: moveId, ...quotaColumns(key), units, epoch: move.epoch, state: 'issued' })
    .execute();
  await statements.insertEntries(trx, [moveIssued(move)]);
  return { kind: 'allotted', move };
}
