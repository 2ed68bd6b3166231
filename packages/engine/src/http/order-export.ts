/** All orders of a list, as one stream of text: pages are read as fast as the other side takes them. */
import type { AdminOrderAnswer } from '@sluice/contract';
import type { OrderCursor } from '../domain/order/order-cursor.ts';
import { readCursor } from '../domain/order/order-cursor.ts';
import type { Offer } from '../domain/sale/offer.ts';
import type { OrderPage } from '../ports/orders.ts';
import { adminOrderAnswer } from './order-answers.ts';

export type ExportFormat = 'csv' | 'ndjson';

export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** As large as an answer of the ledger should be. */
export const EXPORT_PAGE = 500;

/** New ones are added at the end: sheets count them. */
const COLUMNS = [
  ...(['orderId', 'saleId', 'buyer', 'units', 'status', 'refusal', 'settledAtMs', 'dueAtMs'] as const),
  ...(['region', 'channel', 'kind', 'items', 'cost', 'currency'] as const),
];

export interface ExportSource {
  readonly format: ExportFormat;
  /** Of the one sale that all the orders are of. */
  readonly offer: Offer;
  readonly readPage: (cursor: OrderCursor | null) => Promise<OrderPage>;
}

/** One text for each page: fewer, larger pieces. */
export async function* exportOrders({ format, offer, readPage }: ExportSource): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS);
  const lineOf = format === 'csv' ? csvOrder : (order: AdminOrderAnswer) => `${JSON.stringify(order)}\n`;
  for (let cursor: OrderCursor | null = null; ; ) {
    const { orders, next } = await readPage(cursor);
    if (orders.length > 0) yield orders.map((order) => lineOf(adminOrderAnswer(order, offer))).join('');
    if (next === null) return;
    cursor = readCursor(next);
  }
}

function csvOrder(order: AdminOrderAnswer): string {
  const { kind, cost } = order;
  const { orderId, saleId, buyer, units, status, refusal, settledAtMs, dueAtMs, region, channel } = order;
  const items = order.items.map(({ itemId, quantity }) => `${quantity} ${itemId}`).join('; ');
  const price = [cost?.amount ?? cost?.points ?? null, cost?.currency ?? (cost ? 'points' : null)];
  return csvLine([
    ...[orderId, saleId, buyer, units, status, refusal, settledAtMs, dueAtMs],
    ...[region, channel, kind, items, ...price],
  ]);
}

function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** What a spreadsheet would take for a formula. A buyer chooses their own name. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
