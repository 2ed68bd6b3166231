/**
 * The purchase token: signed leave to try, bound to buyer, sale and window. It carries the order's id, so the order can be
 * asked for, and the purchase repeated, before any answer has arrived. Issuing one stores nothing.
 */
import type { BuyerId, OrderId, SaleId } from '../../domain/ids.ts';
import type { Signer } from '../../ports/signer.ts';

export interface PurchaseToken {
  readonly orderId: OrderId;
  readonly saleId: SaleId;
  readonly buyerId: BuyerId;
  readonly region: string;
  readonly channel: string;
  /** The token may be used in [earliestMs, latestMs), milliseconds since 1970. */
  readonly earliestMs: number;
  readonly latestMs: number;
}

export type TokenRefusal =
  | { readonly reason: 'token_invalid' | 'token_expired' | 'token_foreign' }
  | { readonly reason: 'too_early'; readonly retryAtMs: number };

/** How long after the end of a sale its tokens still answer: a winner who lost the answer comes back within this. */
export const REPLAY_GRACE_MS = 10 * 60_000;

export function writeToken(signer: Signer, token: PurchaseToken): string {
  const { orderId, saleId, buyerId, region, channel, earliestMs, latestMs } = token;
  return signer.sign('purchase', [orderId, saleId, buyerId, region, channel, String(earliestMs), String(latestMs)]);
}

/** Null when it was not written here or was changed. */
export function readToken(signer: Signer, text: string): PurchaseToken | null {
  const fields = signer.verify('purchase', text);
  if (!fields) return null;
  const [orderId, saleId, buyerId, region, channel, earliest, latest] = fields;
  if (orderId === undefined || saleId === undefined || buyerId === undefined) return null;
  if (region === undefined || channel === undefined || earliest === undefined || latest === undefined) return null;
  return { orderId, saleId, buyerId, region, channel, earliestMs: Number(earliest), latestMs: Number(latest) };
}

/** Whether a token serves this buyer, on this sale, now. Null: it does. */
export function refuseToken(
  token: PurchaseToken,
  use: { readonly saleId: SaleId; readonly buyerId: BuyerId; readonly nowMs: number },
): TokenRefusal | null {
  if (token.saleId !== use.saleId || token.buyerId !== use.buyerId) return { reason: 'token_foreign' };
  if (use.nowMs >= token.latestMs) return { reason: 'token_expired' };
  if (use.nowMs < token.earliestMs) return { reason: 'too_early', retryAtMs: token.earliestMs };
  return null;
}
