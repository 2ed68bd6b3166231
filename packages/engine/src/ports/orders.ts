/**
 * Orders, as the ledger holds them, and everything that can happen to one after settlement. Each call is one transaction and
 * compare-and-set; repeating any of them changes nothing.
 */

import type { BuyerId, OrderId, SaleId } from '../domain/ids.ts';
import type { CancelDecision } from '../domain/ledger/decide-end.ts';
import type { FulfilmentDecision } from '../domain/ledger/decide-fulfilment.ts';
import type { PaymentAnswer } from '../domain/ledger/decide-payment.ts';
import type { Release } from '../domain/ledger/release.ts';
import type { Charge } from '../domain/order/charge.ts';
import type { Order, OrderState } from '../domain/order/order.ts';
import type { OrderCursor } from '../domain/order/order-cursor.ts';
import type { OrderEvent } from '../domain/order/order-event.ts';
import type { Payment, PaymentNotice } from '../domain/order/payment.ts';

/** Orders that have ended, with the releases that give their units back. */
export interface OrdersEnded {
  readonly orders: readonly Order[];
  readonly releases: readonly Release[];
}

export type PaymentResult = PaymentAnswer & { readonly release: Release | null };

export type CancelResult = CancelDecision & { readonly release: Release | null };

export interface ChargedOrder {
  readonly charge: Charge;
  readonly order: Order;
}

export interface OrderFilter {
  readonly saleId?: SaleId;
  readonly buyerId?: BuyerId;
  readonly state?: OrderState;
}

export interface OrderPage {
  readonly orders: readonly Order[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

export interface Orders {
  find(orderId: OrderId): Promise<Order | null>;
  /** Those that exist, in no order. */
  findMany(orderIds: readonly OrderId[]): Promise<readonly Order[]>;
  /** By (settled at, order id), oldest first; keyset pages, so that what is settled meanwhile moves nothing. */
  list(filter: OrderFilter, cursor: OrderCursor | null, max: number): Promise<OrderPage>;
  /** What happened to an order, oldest first. */
  history(orderId: OrderId): Promise<readonly OrderEvent[]>;
  /** What was told of an order's money, oldest first; it may be told before the order is there. */
  payments(orderId: OrderId): Promise<readonly Payment[]>;

  /** Takes notice of a payment, a failure or a refund, in whatever order they come. */
  notePayment(notice: PaymentNotice): Promise<PaymentResult>;
  /** `buyerId` null: by the operator. */
  cancel(orderId: OrderId, buyerId: BuyerId | null): Promise<CancelResult>;
  /** What it is for was delivered: a paid order is fulfilled. */
  fulfil(orderId: OrderId): Promise<FulfilmentDecision>;
  /** Ends up to `max` unpaid orders that are due by the ledger's clock. Several may run at once; each order ends once. */
  expireDue(max: number): Promise<OrdersEnded>;

  /** Late money that waits for units: up to `max` payments in `reclaiming`, with their orders, oldest first. */
  listReclaiming(max: number): Promise<readonly { readonly payment: Payment; readonly order: Order }[]>;
  /** There are no units for it: the order becomes `paid_unfulfilled`, unless its claim was settled meanwhile. */
  giveUpReclaim(payment: Payment): Promise<Order>;

  /** Charges that are open or due back, with their orders: up to `max` after this order id, by order id. */
  listCharges(after: OrderId | null, max: number): Promise<readonly ChargedOrder[]>;
  /** Points of an order that has ended are due back, unless the ledger was told meanwhile that they were taken. */
  giveUpCharge(orderId: OrderId): Promise<Charge>;
  /** The wallet has no points of this order and will take none: see decideCloseCharge. */
  closeCharge(orderId: OrderId): Promise<{ readonly order: Order; readonly release: Release | null }>;
}
