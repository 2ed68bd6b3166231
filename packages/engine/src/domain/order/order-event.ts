/** What happened to an order, written in the transaction in which it happened. */
import type { OrderEventType } from '@sluice/contract/codes';
import type { BuyerId, OrderId, SaleId } from '../ids.ts';
import type { OrderState } from './order.ts';

export type { OrderEventType };

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
  /** Of the payment that it is about; null when it is about none. */
  readonly reference: string | null;
  /** Of that payment; null when it was not told. */
  readonly amount: number | null;
}
