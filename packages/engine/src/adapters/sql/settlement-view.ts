/** Reads all that a group of claims touches, in one order for everybody, so that two settlements never wait for each other. */
import { sql } from 'kysely';
import { quotaName, type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import { buyerKey } from '../../domain/ledger/changes.ts';
import type { SettlementView } from '../../domain/ledger/decide-settlement.ts';
import { type Claim, segmentOf } from '../../domain/order/claim.ts';
import { byOrder } from '../../domain/order/payment.ts';
import { limitScopeOf } from '../../domain/sale/limit-scope.ts';
import type { Sale } from '../../domain/sale/sale.ts';
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

/** Of the claims' orders and buyers: what was looked up, or none, which the schema refuses where it is wrong. */
export type Known = 'none' | 'looked_up';

export async function readView(reader: Reader, claims: readonly Claim[], known: Known): Promise<SettlementView> {
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
  const orderRows = known === 'none' ? [] : await statements.ordersLocked(trx, orderIds);
  const orders = new Map(orderRows.map((row) => [row.order_id, orderOfRow(row)]));
  const sales = new Map(saleRows.map((row) => [row.id, saleOf(row)]));
  const buyerUnits = known === 'none' ? new Map() : await readBuyerUnits(reader, sales, claims);
  const surroundings = await statements.surroundings(trx);
  const quarantined = surroundings.quarantine ? await statements.quarantinedAmong(trx, claims) : [];
  return {
    nowMs: surroundings.now_ms,
    sales,
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

/** Scope after scope, and buyer after buyer: sales of one group meet at the same rows. */
async function readBuyerUnits(
  reader: Reader,
  sales: ReadonlyMap<string, Sale>,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, number>> {
  const units = new Map<string, number>();
  for (const [limitScope, { buyerIds, limitUnits, isShared }] of scopesOf(sales, claims)) {
    if (isShared) await introduce(reader, { limitScope, limitUnits, buyerIds });
    const rows = await reader.statements.buyersOf(reader.trx, buyerIds, limitScope);
    for (const row of rows) units.set(buyerKey(limitScope, row.buyer_id), row.units);
  }
  return units;
}

interface ScopeToRead {
  readonly buyerIds: readonly string[];
  readonly limitUnits: number;
  readonly isShared: boolean;
}

function scopesOf(sales: ReadonlyMap<string, Sale>, claims: readonly Claim[]): readonly [string, ScopeToRead][] {
  const scopes = new Map<string, { readonly sale: Sale; readonly buyerIds: Set<string> }>();
  for (const { saleId, buyerId } of claims) {
    const sale = sales.get(saleId);
    // The decision says what is wrong with a claim of no sale.
    if (!sale) continue;
    const scope = scopes.get(limitScopeOf(sale)) ?? { sale, buyerIds: new Set() };
    scopes.set(limitScopeOf(sale), scope);
    scope.buyerIds.add(buyerId);
  }
  return [...scopes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([
        name,
        {
          sale: { limitUnits, limitGroup },
          buyerIds,
        },
      ]) => [name, { buyerIds: [...buyerIds].sort(), limitUnits, isShared: limitGroup !== undefined }],
    );
}

/**
 * In a group a buyer may be new to several settlements at the same moment, of which all but one would break the limit's check.
 * So the row is there before it is judged, and whoever comes second waits for it and sees what the first has taken.
 */
async function introduce(
  { trx, dialect, statements }: Reader,
  { limitScope, limitUnits, buyerIds }: { limitScope: string; limitUnits: number; buyerIds: readonly string[] },
): Promise<void> {
  if (!dialect.locksRows) return;
  const rows = buyerIds.map((buyer_id) => ({ limit_scope: limitScope, buyer_id, limit_units: limitUnits, units: 0 }));
  await statements.introduceBuyers(trx, rows);
}

export async function readNowMs({ trx, dialect }: Pick<Reader, 'trx' | 'dialect'>): Promise<number> {
  const { rows } = await sql<{ now_ms: number }>`select ${dialect.nowMs} as now_ms`.execute(trx);
  return rows[0]?.now_ms ?? Number.NaN;
}
