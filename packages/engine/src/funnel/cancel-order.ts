/**
 * A buyer, or the operator, cancels an order that is not paid. An order that the ledger does not know yet may be on its way
 * there: whose gate knows it, or who can show the receipt of its claim, is believed, and the cancel waits for it.
 */
import type { Buyer } from '../domain/buyer.ts';
import type { OrderId } from '../domain/ids.ts';
import type { Order } from '../domain/order/order.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Signer } from '../ports/signer.ts';
import { type FindOrderDeps, findOrder } from './find-order.ts';
import { type FollowDeps, followChange } from './follow-change.ts';
import { readReceipt } from './gate/receipt.ts';

export interface CancelDeps extends FollowDeps, FindOrderDeps {
  readonly signer: Signer;
}

export interface CancelRequest {
  readonly orderId: OrderId;
  /** Null: the operator. */
  readonly buyer: Buyer | null;
  readonly receipt: string | null;
}

export type CancelAnswer =
  | { readonly kind: 'cancelled'; readonly order: Order; readonly isRepeated: boolean }
  /** It will be cancelled as soon as it is settled. */
  | { readonly kind: 'accepted' }
  | Refusal;

export async function cancelOrder(deps: CancelDeps, request: CancelRequest): Promise<CancelAnswer> {
  const { orderId, buyer, receipt } = request;
  const isClaimed = receipt !== null && readReceipt(deps.signer, receipt) === orderId;
  const known = isClaimed || (buyer ? await findOrder(deps, orderId, buyer) : await deps.orders.find(orderId));
  if (!known) return refuse('not_found');

  const result = await deps.orders.cancel(orderId, buyer?.buyerId ?? null);
  switch (result.kind) {
    case 'cancelled':
      await followChange(deps, [result.order], result.release ? [result.release] : []);
      return { kind: 'cancelled', order: result.order, isRepeated: false };
    case 'repeated':
      return { kind: 'cancelled', order: result.order, isRepeated: true };
    case 'parked':
      return { kind: 'accepted' };
    case 'wrong_state':
      return refuse('wrong_state');
    case 'absent':
      return refuse('not_found');
  }
}
