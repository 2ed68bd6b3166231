/** What the HTTP surface is given. It opens nothing and reads no environment. */
import type { FastifyBaseLogger } from 'fastify';
import type { Buyer } from '../domain/buyer.ts';
import type { BuyerId, OrderId, SaleId } from '../domain/ids.ts';
import type { StockChange } from '../domain/inventory/decide-stock.ts';
import type { KnownOrder, Order } from '../domain/order/order.ts';
import type { OrderCursor } from '../domain/order/order-cursor.ts';
import type { OrderEvent } from '../domain/order/order-event.ts';
import type { Payment, PaymentNotice } from '../domain/order/payment.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { SaleOperation } from '../domain/sale/operation.ts';
import type { Sale } from '../domain/sale/sale.ts';
import type { BulkAnswer, BulkItem } from '../funnel/bulk-purchase.ts';
import type { CancelAnswer, CancelRequest } from '../funnel/cancel-order.ts';
import type { FulfilAnswer } from '../funnel/fulfil-order.ts';
import type { RequestLimits } from '../funnel/gateway/request-limits.ts';
import type { IssuedToken } from '../funnel/issue-token.ts';
import type { PaymentNoted } from '../funnel/note-payment.ts';
import type { QuarantineOperations } from '../funnel/operate-quarantine.ts';
import type { WebhookOperations } from '../funnel/operate-webhooks.ts';
import type { PurchaseAccepted, PurchaseRequest } from '../funnel/purchase.ts';
import type { OperateSaleAnswer, PatchRequest } from '../inventory/change-sale.ts';
import type { CreateSaleAnswer, SaleWish } from '../inventory/create-sale.ts';
import type { ReadPlacesResult } from '../inventory/read-places.ts';
import type { WithdrawRequest, WithdrawStockResult } from '../inventory/withdraw-stock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Idempotency } from '../ports/idempotency.ts';
import type { IdentityVerifier } from '../ports/identity.ts';
import type { ReceiveStockResult } from '../ports/inventory-centre.ts';
import type { OrderFilter, OrderPage } from '../ports/orders.ts';
import type { PatchSaleResult, SettleSaleResult } from '../ports/sales.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { OrderStreamLimits } from './limits.ts';

/** The part of an engine that speaks HTTP. */
export interface ServedEngine {
  issueToken(saleId: SaleId, buyer: Buyer, idempotencyKey?: string | null): Promise<IssuedToken | Refusal>;
  /** Null: another try may come in. An engine without it takes all. */
  shed?(): Refusal | null;
  /** What a try can be told before its body is read; null: it goes on. An engine without it reads all. */
  refuseUnread?(saleId: SaleId, buyer: Buyer): Promise<Refusal | null> | null;
  purchase(request: PurchaseRequest): Promise<PurchaseAccepted | Refusal>;
  bulkPurchase(caller: string, items: readonly BulkItem[]): Promise<readonly BulkAnswer[]>;
  /** Null for an order that does not exist, and for one that is another buyer's. */
  findOrder(orderId: OrderId, buyer: Buyer, receipt?: string): Promise<KnownOrder | null>;
  /** Whoever's it is. */
  showOrder(orderId: OrderId): Promise<Order | null>;
  listOrders(filter: OrderFilter, cursor: OrderCursor | null, max: number): Promise<OrderPage>;
  orderHistory(orderId: OrderId): Promise<readonly OrderEvent[]>;
  orderPayments(orderId: OrderId): Promise<readonly Payment[]>;
  cancelOrder(request: CancelRequest): Promise<CancelAnswer>;
  notePayment(notice: PaymentNotice): Promise<PaymentNoted | Refusal>;
  fulfilOrder(orderId: OrderId): Promise<FulfilAnswer>;
  watchOrders(listener: (orders: readonly Order[]) => void): () => void;
  /** Null for a draft, too. */
  findSale(saleId: SaleId): Promise<Sale | null>;
  hasUnitsLeft(saleId: SaleId): Promise<boolean>;
  /** Published sales. */
  listSales(): Promise<readonly Sale[]>;

  createSale(wish: SaleWish): Promise<CreateSaleAnswer>;
  operateSale(saleId: SaleId, operation: SaleOperation): Promise<OperateSaleAnswer>;
  settleSale(saleId: SaleId): Promise<SettleSaleResult>;
  patchSale(request: PatchRequest): Promise<PatchSaleResult>;
  receiveStock(saleId: SaleId, change: StockChange): Promise<ReceiveStockResult>;
  withdrawStock(request: WithdrawRequest): Promise<WithdrawStockResult>;
  /** Drafts, too. */
  listAllSales(): Promise<readonly Sale[]>;
  showSale(saleId: SaleId): Promise<Sale | null>;
  readPlaces(saleId: SaleId): Promise<ReadPlacesResult>;
  /** Null: there are no routes for them. */
  readonly webhooks: WebhookOperations | null;
  /** What was set aside for a person. */
  readonly quarantine: QuarantineOperations;
  /** Keeps the first answers of calls that carry a key. */
  readonly idempotency: Idempotency;
}

/** Figures for operators, in a format of its own. */
export interface Metrics {
  readonly mediaType: string;
  write(): Promise<string>;
}

export interface HttpDeps {
  readonly engine: ServedEngine;
  readonly identity: IdentityVerifier;
  /** One for all listeners of a process; no limits when not given. */
  readonly limits?: RequestLimits;
  /** Counts whom the door turns away; nobody does when not given. */
  readonly telemetry?: Telemetry;
  /** Without them there is no route for figures. */
  readonly metrics?: Metrics;
  /** What operators send as `Authorization: Bearer`. */
  readonly adminKey: string;
  /** What the operator's own back end sends, likewise. */
  readonly serverKey: string;
  readonly clock: Clock;
  /** True once the engine has started, false again while it drains: what /readyz says. */
  readonly isReady: () => boolean;
  /** Whether the ledger takes what is sold; null where another process settles. Told by /readyz, which stays ready. */
  readonly settles?: () => boolean | null;
  /** True when the listener closes soon: every answer then asks its caller to connect anew, elsewhere. */
  readonly isDraining?: () => boolean;
  /** A pino logger; false logs nothing. */
  readonly logger: FastifyBaseLogger | false;
  /** Addresses and networks whose X-Forwarded-For is believed. Never everybody. */
  readonly trustedProxies: readonly string[];
  /** In [0, 1); spreads those who are told to come again. */
  readonly random?: () => number;
  /** Whose routes this listener has, besides health; both when not given. */
  readonly serves?: 'buyers' | 'operators' | 'both' | 'nobody';
  /** A JWT for any buyer: only on a machine of one's own. */
  readonly devIdentity?: (buyerId: BuyerId) => string;
  /** What streams of order events may cost; for tests. */
  readonly orderStreams?: Partial<OrderStreamLimits>;
  /** The folder of the built page; without it there is no page. */
  readonly storefront?: string;
}
