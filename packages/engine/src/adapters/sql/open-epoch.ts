/**
 * Opens a segment's next epoch: the cut, the end of what was in transit, and the snapshot, serial with every settlement of
 * the segment (its row is locked first).
 */
import type { EpochSnapshot } from '../../domain/gate/plan-load.ts';
import { invariant } from '../../domain/invariant.ts';
import { segmentName } from '../../domain/inventory/quota.ts';
import { moveArrived, releaseArrived } from '../../domain/ledger/entry.ts';
import { countClaims, openNextEpoch, type SegmentRecord } from '../../domain/ledger/epoch.ts';
import type { Claim } from '../../domain/order/claim.ts';
import { termsOf } from '../../domain/sale/sale.ts';
import type { OpenEpochRequest, OpenEpochResult } from '../../ports/inventory-centre.ts';
import {
  moveOfRow,
  orderOfRow,
  quotaOfRow,
  releaseOfRow,
  saleOf,
  segmentColumns,
  segmentKeyOf,
  segmentRecordOf,
} from './rows.ts';
import type { SegmentColumns } from './schema.ts';
import { cutsOf, lockQuotas, lockSegments } from './segment-rows.ts';
import type { Reader } from './settlement-view.ts';

export async function openEpoch(reader: Reader, request: OpenEpochRequest): Promise<OpenEpochResult> {
  const { trx } = reader;
  const [row] = await lockSegments(reader, [request.segment]);
  invariant(row, `segment ${segmentName(request.segment)} is in the ledger`);
  const { state } = await trx
    .selectFrom('sales')
    .select('state')
    .where('id', '=', request.segment.saleId)
    .executeTakeFirstOrThrow();
  if (state === 'settled') return { kind: 'settled' };
  if (row.epoch !== request.fromEpoch) return { kind: 'stale', epoch: row.epoch };

  const before = segmentRecordOf(row, await cutsOf(reader, [request.segment]));
  const opened = openNextEpoch(before, request.cutThrough, request.gateEpoch ?? 0);
  const columns = segmentColumns(request.segment);
  await trx
    .updateTable('segments')
    .set({ epoch: opened.epoch })
    .where('sale_id', '=', columns.sale_id)
    .where('region', '=', columns.region)
    .where('segment', '=', columns.segment)
    .execute();
  await trx
    .insertInto('cuts')
    .values({
      ...columns,
      epoch: opened.epoch,
      through_epoch: request.cutThrough.epoch,
      through_seq: request.cutThrough.seq,
    })
    .execute();
  await absorbMoves(reader, columns);
  await absorbReleases(reader, columns);
  await voidReturns(reader, columns);
  return { kind: 'opened', snapshot: await readSnapshot(reader, opened, request.queued) };
}

/** Locked: the gate's thanks for one may come at this moment, and it arrives once. */
async function absorbMoves(
  { trx, statements, dialect }: Reader,
  { sale_id, region, segment }: SegmentColumns,
): Promise<void> {
  const open = await trx
    .selectFrom('moves')
    .selectAll()
    .where('sale_id', '=', sale_id)
    .where('region', '=', region)
    .where('segment', '=', segment)
    .where('state', '=', 'issued')
    .orderBy('id')
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
  for (const { id } of open) await trx.updateTable('moves').set({ state: 'absorbed' }).where('id', '=', id).execute();
  await statements.insertEntries(trx, open.map(moveOfRow).map(moveArrived));
}

async function absorbReleases(
  { trx, statements, dialect }: Reader,
  { sale_id, region, segment }: SegmentColumns,
): Promise<void> {
  const open = await trx
    .selectFrom('releases')
    .selectAll()
    .where('sale_id', '=', sale_id)
    .where('region', '=', region)
    .where('segment', '=', segment)
    .where('state', '=', 'open')
    .orderBy('id')
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
  for (const { id } of open) {
    await trx.updateTable('releases').set({ state: 'absorbed' }).where('id', '=', id).execute();
  }
  await statements.insertEntries(trx, open.map(releaseOfRow).flatMap(releaseArrived));
}

/** What they debited was debited at a gate that is no more, and is in the load. */
async function voidReturns({ trx }: Reader, { sale_id, region, segment }: SegmentColumns): Promise<void> {
  await trx
    .updateTable('returns')
    .set({ state: 'void' })
    .where('sale_id', '=', sale_id)
    .where('region', '=', region)
    .where('segment', '=', segment)
    .where('state', '=', 'issued')
    .execute();
}

async function readSnapshot(reader: Reader, segment: SegmentRecord, queued: readonly Claim[]): Promise<EpochSnapshot> {
  const { trx, statements } = reader;
  const columns = segmentColumns(segment);
  const sale = await trx.selectFrom('sales').selectAll().where('id', '=', columns.sale_id).executeTakeFirstOrThrow();
  const quotas = await lockQuotas(reader, [segment]);
  const orders = await trx
    .selectFrom('orders')
    .selectAll()
    .where('sale_id', '=', columns.sale_id)
    .where('region', '=', columns.region)
    .where('segment', '=', columns.segment)
    .execute();
  return {
    segment: segmentKeyOf(columns),
    epoch: segment.epoch,
    terms: termsOf(saleOf(sale)),
    quotas: quotas.map(quotaOfRow),
    orders: orders.map(orderOfRow),
    countedClaims: countClaims(segment, queued, await statements.knownAmong(trx, queued)),
  };
}
