/**
 * Orders with what their end needs. Everything that may change is locked in the order in which settlement locks: segments,
 * quotas, orders. A first look without locks tells which segments those are.
 */
import { Fault } from '../../domain/fault.ts';
import type { OrderId, SaleId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { segmentName } from '../../domain/inventory/quota.ts';
import type { EndFacts } from '../../domain/ledger/changes.ts';
import { segmentOf } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import { limitScopeOf } from '../../domain/sale/limit-scope.ts';
import { orderOfRow, segmentKeyOf } from './rows.ts';
import type { LedgerTransaction, OrderTable, SaleTable } from './schema.ts';
import { lockQuotas, lockSegments } from './segment-rows.ts';
import { type Reader, readNowMs } from './settlement-view.ts';

export interface LockedOrder {
  readonly order: Order;
  readonly facts: EndFacts;
}

/** Those that exist, in the order of their ids. */
export async function lockOrders(reader: Reader, orderIds: readonly OrderId[]): Promise<readonly LockedOrder[]> {
  const { trx, statements } = reader;
  const seen = await statements.ordersNamed(trx, orderIds);
  if (seen.length === 0) return [];
  const keys = new Map(seen.map((row) => [segmentName(segmentKeyOf(row)), segmentKeyOf(row)]));
  const segments = await lockSegments(reader, [...keys.values()]);
  const epochs = new Map(segments.map((row) => [segmentName(segmentKeyOf(row)), row.epoch]));
  await lockQuotas(reader, [...keys.values()]);
  const rows = await statements.ordersLocked(
    trx,
    seen.map((row) => row.order_id),
  );
  const nowMs = await readNowMs(reader);
  const sales = await salesOf(trx, seen);
  return rows.map(orderOfRow).map((order) => {
    const sale = sales.get(order.saleId);
    invariant(sale, `sale ${order.saleId} of an order is in the ledger`);
    const { state: saleState, limit_group: limitGroup } = sale;
    const limitScope = limitScopeOf({ id: sale.id, ...(limitGroup !== null && { limitGroup }) });
    return { order, facts: { nowMs, epoch: epochOf(order, epochs), saleState, limitScope } };
  });
}

/**
 * Null for an order that is not there. Until this transaction ends none can be settled under that id, so what is parked for
 * it is found by the settlement that comes.
 */
export async function lockOrder(reader: Reader, orderId: OrderId): Promise<LockedOrder | null> {
  const [found] = await lockOrders(reader, [orderId]);
  const { latch } = reader.dialect;
  if (found || !latch) return found ?? null;
  await latch.exclusive.execute(reader.trx);
  const [settledMeanwhile] = await lockOrders(reader, [orderId]);
  return settledMeanwhile ?? null;
}

/** Read behind the segments' locks, which whoever settles a sale must have, too. */
async function salesOf(
  trx: LedgerTransaction,
  rows: readonly OrderTable[],
): Promise<ReadonlyMap<SaleId, Pick<SaleTable, 'id' | 'state' | 'limit_group'>>> {
  const saleIds = [...new Set(rows.map((row) => row.sale_id))];
  const sales = await trx
    .selectFrom('sales')
    .select(['id', 'state', 'limit_group'])
    .where('id', 'in', saleIds)
    .execute();
  return new Map(sales.map((sale) => [sale.id, sale]));
}

function epochOf(order: Order, epochs: ReadonlyMap<string, number>): number {
  const name = segmentName(segmentOf(order));
  const epoch = epochs.get(name);
  if (epoch !== undefined) return epoch;
  // Late money gave it units of another segment between the two looks.
  invariant(epochs.size > 0, 'the segment of an order is in the ledger');
  throw new Fault('ledger_conflict', `order ${order.orderId} went to segment ${name} meanwhile`);
}
