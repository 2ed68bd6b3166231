/** The rows of events, of orders and of sales, as the outbox reads and marks them. */
import { invariant } from '../../domain/invariant.ts';
import type { OutboxEvent, StoredEvent } from '../../domain/outbox/outbox-event.ts';
import type { Offer } from '../../domain/sale/offer.ts';
import type { SaleEvent } from '../../domain/sale/sale-event.ts';
import { orderEventOfRow, saleOf } from './rows.ts';
import type { LedgerTransaction, SaleEventTable } from './schema.ts';

/** What was not handed out yet, oldest first. A row that commits late is found when it is there, whatever its id. */
export async function readWaiting(trx: LedgerTransaction, max: number): Promise<readonly StoredEvent[]> {
  const ofSales = await trx
    .selectFrom('sale_events')
    .selectAll()
    .where('handed_out_at_ms', 'is', null)
    .orderBy('id')
    .limit(max)
    .execute();
  const ofOrders = await trx
    .selectFrom('order_events')
    .selectAll()
    .where('handed_out_at_ms', 'is', null)
    .orderBy('id')
    .limit(max - ofSales.length)
    .execute();
  return [
    ...ofSales.map((row) => ({ kind: 'sale' as const, number: row.id, event: saleEventOfRow(row) })),
    ...ofOrders.map((row) => ({ kind: 'order' as const, number: row.id, event: orderEventOfRow(row) })),
  ];
}

/** By their numbers, one by one: a range would have events in it that were not there when they were read. */
export async function markHandedOut(
  trx: LedgerTransaction,
  events: readonly StoredEvent[],
  nowMs: number,
): Promise<void> {
  for (const kind of ['order', 'sale'] as const) {
    const numbers = events.filter((stored) => stored.kind === kind).map(({ number }) => number);
    if (numbers.length === 0) continue;
    await trx
      .updateTable(kind === 'order' ? 'order_events' : 'sale_events')
      .set({ handed_out_at_ms: nowMs })
      .where('id', 'in', numbers)
      .execute();
  }
}

interface EventRef {
  readonly source: StoredEvent['kind'];
  readonly event_number: number;
}

/** In the order asked for. */
export async function eventsOf(trx: LedgerTransaction, refs: readonly EventRef[]): Promise<readonly OutboxEvent[]> {
  const numbersOf = (source: StoredEvent['kind']) =>
    refs.filter((ref) => ref.source === source).map((ref) => ref.event_number);
  const found = new Map<string, OutboxEvent>();
  for (const each of [
    ...(await orderEventsNumbered(trx, numbersOf('order'))),
    ...(await saleEventsNumbered(trx, numbersOf('sale'))),
  ]) {
    found.set(`${each.kind} ${each.number}`, each);
  }
  return refs.map(({ source, event_number }) => {
    const event = found.get(`${source} ${event_number}`);
    invariant(event, `event ${event_number} of a delivery is in the ledger`);
    return event;
  });
}

async function orderEventsNumbered(trx: LedgerTransaction, numbers: readonly number[]): Promise<OutboxEvent[]> {
  if (numbers.length === 0) return [];
  const rows = await trx.selectFrom('order_events').selectAll().where('id', 'in', numbers).execute();
  const saleIds = [...new Set(rows.map((row) => row.sale_id))];
  const sales = await trx.selectFrom('sales').selectAll().where('id', 'in', saleIds).execute();
  const offers = new Map<string, Offer>(sales.map((row) => [row.id, saleOf(row).offer]));
  return rows.map((row) => {
    const offer = offers.get(row.sale_id);
    invariant(offer, `sale ${row.sale_id} of an event is in the ledger`);
    return { kind: 'order', number: row.id, event: orderEventOfRow(row), offer };
  });
}

async function saleEventsNumbered(trx: LedgerTransaction, numbers: readonly number[]): Promise<OutboxEvent[]> {
  if (numbers.length === 0) return [];
  const rows = await trx.selectFrom('sale_events').selectAll().where('id', 'in', numbers).execute();
  return rows.map((row) => ({ kind: 'sale', number: row.id, event: saleEventOfRow(row) }));
}

function saleEventOfRow(row: Omit<SaleEventTable, 'id' | 'handed_out_at_ms'>): SaleEvent {
  const { type, sale_id, state, total_units, surplus_units, at_ms } = row;
  return { type, saleId: sale_id, state, totalUnits: total_units, surplusUnits: surplus_units, atMs: at_ms };
}
