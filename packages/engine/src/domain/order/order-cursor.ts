/** Where a page of orders ends: the last one's place in the order (settled at, order id). Opaque to callers. */
import type { OrderId } from '../ids.ts';
import type { Order } from './order.ts';

export interface OrderCursor {
  readonly settledAtMs: number;
  readonly orderId: OrderId;
}

export function writeCursor(last: Order): string {
  return `${last.settledAtMs}.${last.orderId}`;
}

const CURSOR = /^(0|[1-9]\d{0,15})\.([\w-]{1,64})$/;

/** Null for a text that was not written here. */
export function readCursor(text: string): OrderCursor | null {
  const [, settledAt, orderId] = CURSOR.exec(text) ?? [];
  const settledAtMs = Number(settledAt);
  return orderId === undefined || !Number.isSafeInteger(settledAtMs) ? null : { settledAtMs, orderId };
}

/** Ids compare by their bytes, as databases do; those of orders are ASCII. */
export function compareCursors(a: OrderCursor, b: OrderCursor): number {
  if (a.settledAtMs !== b.settledAtMs) return a.settledAtMs - b.settledAtMs;
  if (a.orderId === b.orderId) return 0;
  return a.orderId < b.orderId ? -1 : 1;
}
