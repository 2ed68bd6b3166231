/**
 * Charges: the points of one order, as the ledger knows of them. A charge is written with the order that wants it, before the
 * wallet is asked, so that points which were taken while nobody listened are found again.
 */
import type { OrderId } from '../ids.ts';

export type ChargeState =
  /** The wallet is asked until it answers; it may have taken the points already. */
  | 'open'
  /** They were taken, and the order's payment says so. */
  | 'taken'
  /** They were taken, or may have been, and the order has no use for them. */
  | 'due_back'
  /** Nothing was taken, or it was given back. */
  | 'closed';

export interface Charge {
  readonly orderId: OrderId;
  readonly points: number;
  readonly state: ChargeState;
}

const WALLET = 'wallet:';

/** The reference of the payment that tells of an order's points. Back ends may not use references that look like it. */
export function walletReference(orderId: OrderId): string {
  return `${WALLET}${orderId}`;
}

export function isWalletReference(reference: string): boolean {
  return reference.startsWith(WALLET);
}
