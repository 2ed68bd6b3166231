/**
 * Ids are strings, compared byte by byte and never parsed: an account number beyond 2^53 keeps its digits through JSON, Lua
 * and SQL.
 */
import { SALE_ID_PATTERN } from '@sluice/contract/codes';

export type SaleId = string;
export type OrderId = string;
export type BuyerId = string;

/** Longest buyer id that is carried, in UTF-16 units: an index entry of every database we store it in. */
export const MAX_BUYER_ID_LENGTH = 512;

const SALE_ID = new RegExp(SALE_ID_PATTERN);

/** Sale ids stand in paths, key names and file names. */
export function isSaleId(value: string): value is SaleId {
  return SALE_ID.test(value);
}

// NUL cannot be stored as text by PostgreSQL, and half a surrogate pair would come back as another id.
const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

export function isBuyerId(value: string): value is BuyerId {
  return value.length > 0 && value.length <= MAX_BUYER_ID_LENGTH && !UNSTORABLE.test(value);
}
