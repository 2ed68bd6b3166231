/** Which page of orders a query asks for. */
import type { ListOrdersQuery } from '@sluice/contract';
import { type OrderCursor, readCursor } from '../domain/order/order-cursor.ts';

const DEFAULT_LIMIT = 20;

export interface PageAsked {
  readonly cursor: OrderCursor | null;
  readonly max: number;
}

export const NO_CURSOR_OF_OURS = '`after` is not the `next` of a page.';

/** Null when `after` was not written here. */
export function pageAsked({ after, limit }: ListOrdersQuery): PageAsked | null {
  const cursor = after === undefined ? null : readCursor(after);
  if (after !== undefined && !cursor) return null;
  return { cursor, max: limit === undefined ? DEFAULT_LIMIT : Number(limit) };
}
