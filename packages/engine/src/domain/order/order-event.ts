/** What happened to an order, written in the transaction in which it happened. */
import type { BuyerId, OrderId, SaleId } from '../ids.ts';
import type { OrderState } from './order.ts';

export const ORDER_EVENT_TYPES = [
  'order.settled',
  'order.refused',
  'order.paid',
  'order.cancelled',
  'order.expired',
  /** Money was taken for which there is nothing, or no more: give it back. */
  'order.refund_due',
  'order.refunded',
] as const;

export type OrderEventType = (typeof ORDER_EVENT_TYPES)[number];

export interface OrderEvent {
  readonly type: OrderEventType;
  readonly orderId: OrderId;
  readonly saleId: SaleId;
  readonly buyerId: BuyerId;
  readonly units: number;
  /** The order's state after it. */
  readonly state: OrderState;
  /** Milliseconds since 1970 by the ledger's clock. */
  readonly atMs: number;
}
