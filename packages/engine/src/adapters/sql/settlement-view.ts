/** Reads all that a group of claims touches, in one order for everybody, so that two settlements never wait for each other. */
import { sql } from 'kysely';
import { quotaName, type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import { buyerKey } from '../../domain/ledger/changes.ts';
import type { SettlementView } from '../../domain/ledger/decide-settlement.ts';
import { type Claim, segmentOf } from '../../domain/order/claim.ts';
import { byOrder } from '../../domain/order/payment.ts';
import type { SqlDialect } from './dialect.ts';
import { orderOfRow, quotaOfRow, saleOf, segmentRecordOf } from './rows.ts';
import type { LedgerTransaction } from './schema.ts';
import { cutsOf, lockQuotas, lockSegments } from './segment-rows.ts';
import type { Statements } from './statements.ts';

export interface Reader {
  readonly trx: LedgerTransaction;
  readonly dialect: SqlDialect;
  readonly statements: Statements;
}

export async function readView(reader: Reader, claims: readonly Claim[]): Promise<SettlementView> {
  const { trx, statements, dialect } = reader;
  const keys = segmentKeysOf(claims);
  // Nobody parks anything for these orders before they are there.
  if (dialect.latch) await dialect.latch.shared.execute(trx);
  // The segments first: a rebuild that opens an epoch waits here, or this does (P6).
  const segmentRows = await lockSegments(reader, keys);
  const cutRows = await cutsOf(reader, keys);
  const quotaRows = await lockQuotas(reader, keys);
  const saleIds = [...new Set(claims.map((claim) => claim.saleId))].sort();
  const saleRows = await statements.salesNamed(trx, saleIds);
  const orderIds = [...new Set(claims.map((claim) => claim.orderId))];
  // Of an order that another segment's claim became: its end must not come between.
  const orderRows = await statements.ordersLocked(trx, orderIds);
  const orders = new Map(orderRows.map((row) => [row.order_id, orderOfRow(row)]));
  const buyerUnits = await readBuyerUnits(reader, saleIds, claims);
  const surroundings = await statements.surroundings(trx);
  const quarantined = surroundings.quarantine ? await statements.quarantinedAmong(trx, claims) : [];
  return {
    nowMs: surroundings.now_ms,
    sales: new Map(saleRows.map((row) => [row.id, saleOf(row)])),
    segments: new Map(
      segmentRows.map((row) => segmentRecordOf(row, cutRows)).map((segment) => [segmentName(segment), segment]),
    ),
    quotas: new Map(quotaRows.map(quotaOfRow).map((quota) => [quotaName(quota), quota])),
    buyerUnits,
    orders,
    closedClaims: new Set([...(await statements.releasedAmong(trx, claims, orders)), ...quarantined]),
    openPayments: byOrder(surroundings.open_payments ? await statements.openPaymentsOf(trx, orderIds) : []),
    parkedCancels: surroundings.parked_cancels ? await statements.parkedCancelsOf(trx, orderIds) : new Map(),
  };
}

function segmentKeysOf(claims: readonly Claim[]): readonly SegmentKey[] {
  const keys = new Map(claims.map((claim) => [segmentName(segmentOf(claim)), segmentOf(claim)]));
  return [...keys.values()];
}

async function readBuyerUnits(
  { trx, statements }: Reader,
  saleIds: readonly string[],
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, number>> {
  const units = new Map<string, number>();
  for (const saleId of saleIds) {
    const buyerIds = new Set(claims.filter((claim) => claim.saleId === saleId).map((claim) => claim.buyerId));
    const rows = await statements.buyersOf(trx, [...buyerIds], saleId);
    for (const row of rows) units.set(buyerKey(saleId, row.buyer_id), row.units);
  }
  return units;
}

export async function readNowMs({ trx, dialect }: Pick<Reader, 'trx' | 'dialect'>): Promise<number> {
  const { rows } = await sql<{ now_ms: number }>`select ${dialect.nowMs} as now_ms`.execute(trx);
  return rows[0]?.now_ms ?? Number.NaN;
}
