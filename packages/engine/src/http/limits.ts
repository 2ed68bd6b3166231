/** What a caller may cost before it is known who they are. */
import type { IncomingHttpHeaders } from 'node:http';

/** A purchase with the longest buyer id we carry takes half of it. */
export const MAX_BODY_BYTES = 4_096;

/** A thousand bulk purchases with long ids. Read only for whoever has the server key. */
export const MAX_BULK_BODY_BYTES = 1_048_576;

/** As nginx has it; a JWT of the longest buyer id takes half of it. */
export const MAX_HEADER_BYTES = 8_192;

/** Sale ids have 64 letters, order ids 22. */
export const MAX_PARAM_LENGTH = 100;

/** Longer than the idle time-out of the load balancers we know (60 s): the side that closes first loses requests. */
export const KEEP_ALIVE_MS = 75_000;

/** From the first byte to the end of the head, and to the end of the body. */
export const HEADERS_TIMEOUT_MS = 5_000;
export const REQUEST_TIMEOUT_MS = 10_000;

/** Node looks for the two above only this often; by default, every 30 s. */
export const TIMEOUT_CHECK_MS = 1_000;

/**
 * An answer given before the body is read leaves the body to Node, which throws it away however long it is. So only a
 * small body of known length is left unread; behind every other one the connection ends.
 */
export function mayLeaveUnread(headers: IncomingHttpHeaders): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MAX_BODY_BYTES;
}

/** What streams of order events may cost. */
export interface OrderStreamLimits {
  readonly maxStreams: number;
  readonly maxStreamsPerBuyer: number;
  readonly rereadMs: number;
  readonly heartbeatMs: number;
  readonly lifetimeMs: number;
}

export const ORDER_STREAM_LIMITS: OrderStreamLimits = {
  /** With the next figure, 400 readings a second at most: a small part of what the embedded ledger has. */
  maxStreams: 2_000,
  /** A page on each of a buyer's devices, and some that were left open. */
  maxStreamsPerBuyer: 16,
  rereadMs: 5_000,
  /** A quarter of the shortest idle time-out of the proxies we know. */
  heartbeatMs: 15_000,
  /** Who reads is judged when they come; so they come again. */
  lifetimeMs: 10 * 60_000,
};
