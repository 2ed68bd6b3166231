/** The operator's back end tells that it has delivered what an order is for. */
import type { OrderId } from '../domain/ids.ts';
import type { Order } from '../domain/order/order.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Orders } from '../ports/orders.ts';
import { type FollowDeps, followChange } from './follow-change.ts';

export interface FulfilOrderDeps extends FollowDeps {
  readonly orders: Orders;
}

export type FulfilAnswer =
  | { readonly kind: 'fulfilled'; readonly order: Order; readonly isRepeated: boolean }
  | Refusal;

export async function fulfilOrder(deps: FulfilOrderDeps, orderId: OrderId): Promise<FulfilAnswer> {
  const result = await deps.orders.fulfil(orderId);
  switch (result.kind) {
    case 'fulfilled':
      await followChange(deps, [result.order], []);
      return { kind: 'fulfilled', order: result.order, isRepeated: false };
    case 'repeated':
      return { kind: 'fulfilled', order: result.order, isRepeated: true };
    case 'wrong_state':
      return refuse('wrong_state');
    case 'absent':
      return refuse('not_found');
  }
}
