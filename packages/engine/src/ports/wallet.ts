/**
 * The operator's wallet: it has the buyers' points. Promises: each call is made once for its key, however often it comes and
 * in whatever order; what was answered under a key is answered again, refusals too. What it cannot say is thrown.
 */
import type { BuyerId, OrderId, SaleId } from '../domain/ids.ts';

/** Why a wallet takes no points. */
export const CHARGE_REFUSALS = ['insufficient_points', 'not_allowed', 'given_back'] as const;

export type ChargeRefusal = (typeof CHARGE_REFUSALS)[number];

export interface WalletCall {
  /** Of this call. */
  readonly key: string;
  readonly buyerId: BuyerId;
  /** A positive whole number. */
  readonly points: number;
  readonly saleId: SaleId;
  readonly orderId: OrderId;
}

export interface RefundCall extends WalletCall {
  /** Of the charge that is given back. */
  readonly chargeKey: string;
}

export type ChargeAnswer = { readonly kind: 'charged' } | { readonly kind: 'refused'; readonly reason: ChargeRefusal };

export type RefundAnswer =
  | { readonly kind: 'refunded' }
  /** Nothing had been taken under the charge's key, and nothing will be. */
  | { readonly kind: 'nothing_taken' };

export interface Wallet {
  charge(call: WalletCall): Promise<ChargeAnswer>;
  /**
   * Gives back what was taken under the charge's key, once. When nothing was, a charge of that key which comes later is
   * refused as `given_back`: calls overtake each other.
   */
  refund(call: RefundCall): Promise<RefundAnswer>;
}
