/** An engine: what it is made of, and what HTTP, commands and programs ask of it. */
import type { Buyer } from '../domain/buyer.ts';
import type { Fault } from '../domain/fault.ts';
import type { OrderId, SaleId } from '../domain/ids.ts';
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
import type { IntakeBounds } from '../funnel/gateway/intake.ts';
import type { IssuedToken } from '../funnel/issue-token.ts';
import type { BreakerState } from '../funnel/ledger/circuit-breaker.ts';
import type { CeilingBounds, CeilingReading } from '../funnel/ledger/settlement-ceiling.ts';
import type { PaymentNoted } from '../funnel/note-payment.ts';
import type { QuarantineOperations } from '../funnel/operate-quarantine.ts';
import type { WebhookOperations } from '../funnel/operate-webhooks.ts';
import type { PurchaseAccepted, PurchaseRequest } from '../funnel/purchase.ts';
import type { OperateSaleAnswer, PatchRequest } from '../inventory/change-sale.ts';
import type { CreateSaleAnswer, SaleWish } from '../inventory/create-sale.ts';
import type { ReadPlacesResult } from '../inventory/read-places.ts';
import type { WithdrawRequest, WithdrawStockResult } from '../inventory/withdraw-stock.ts';
import type { ClaimMarks } from '../ports/claim-marks.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from '../ports/gate.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Idempotency } from '../ports/idempotency.ts';
import type { ReceiveStockResult } from '../ports/inventory-centre.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { LendingLine } from '../ports/lending-line.ts';
import type { OrderFeed } from '../ports/order-feed.ts';
import type { OrderFilter, OrderPage } from '../ports/orders.ts';
import type { OutboxDepth } from '../ports/outbox.ts';
import type { Queue, QueueDepth } from '../ports/queue.ts';
import type { PatchSaleResult, SettleSaleResult } from '../ports/sales.ts';
import type { Signer } from '../ports/signer.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';

export interface EngineParts {
  readonly clock: Clock;
  readonly idSource: IdSource;
  readonly signer: Signer;
  readonly gate: Gate;
  /** What deadlines of calls to the gate are told by: the gate's own, when that is not this machine's. */
  readonly gateClock?: Clock;
  /** Other processes keep the sales of the same gate; default false. */
  readonly isGateShared?: boolean;
  readonly queue: Queue;
  /** Without it nothing is known of orders that the ledger does not have. */
  readonly marks?: ClaimMarks;
  /** Parts of a new sale that does not say; by its stock and the gate when not given. */
  readonly saleSegments?: number;
  /** A purchase is answered once it is claimed: the queue outlives this process. */
  readonly answersQueued?: boolean;
  readonly feed: OrderFeed;
  /** Between processes that work and processes that do not. */
  readonly lendingLine?: LendingLine;
  readonly ledger: Ledger;
  /** Other processes settle what is in the same queue: this one keeps to its share; default false. */
  readonly sharesWork?: boolean;
  /** Without one nothing is sold for points. */
  readonly wallet?: Wallet;
  /** Without one nobody is told of events. */
  readonly webhookSender?: WebhookSender;
  /** From 0 to below 1, evenly: spreads what is tried again; the machine's when not given. */
  readonly random?: () => number;
  /** No bounds when not given. */
  readonly bounds?: IntakeBounds;
  /** Of settlement, where it is done here; none when not given. */
  readonly ceiling?: CeilingBounds;
  /** How late the event loop is. */
  readonly loopLagMs?: () => number;
  /** Nothing is counted when not given. */
  readonly telemetry?: Telemetry;
  /** Settles, sweeps and keeps stock as well; default true. Without, another process does. */
  readonly works?: boolean;
  /** A fault that is being retried. */
  readonly onFault: (fault: Fault) => void;
  /** A broken promise of our own: the process should end and recover. */
  readonly onCrash: (error: unknown) => void;
}

/** How the engine is, at this moment. */
export interface EngineReadings {
  readonly ledgerBreaker: BreakerState;
  /** Null: there is no wallet. */
  readonly walletBreaker: BreakerState | null;
  readonly purchasesInFlight: number;
  /** Null: another process settles. */
  readonly ceiling: CeilingReading | null;
  /** Null: the queue cannot be asked now. */
  readonly queue: QueueDepth | null;
  /** Null: the ledger cannot be asked now. */
  readonly outbox: OutboxDepth | null;
}

export interface Engine {
  /** The same buyer and idempotency key get the same order id. */
  issueToken(saleId: SaleId, buyer: Buyer, idempotencyKey?: string | null): Promise<IssuedToken | Refusal>;
  /** Null: another try may come in. */
  shed(): Refusal | null;
  /** What a try can be told before its body is read; null: it goes on. */
  refuseUnread(saleId: SaleId, buyer: Buyer): Promise<Refusal | null> | null;
  purchase(request: PurchaseRequest): Promise<PurchaseAccepted | Refusal>;
  /** Many at once for a back end, one answer each, in their order. */
  bulkPurchase(caller: string, items: readonly BulkItem[]): Promise<readonly BulkAnswer[]>;
  /**
   * Null for an order that does not exist, and for one that is another buyer's. Who shows the receipt of its claim hears of one that
   * the gate has lost, too.
   */
  findOrder(orderId: OrderId, buyer: Buyer, receipt?: string): Promise<KnownOrder | null>;
  /** Whoever's it is. */
  showOrder(orderId: OrderId): Promise<Order | null>;
  /** Pages of orders, oldest first. */
  listOrders(filter: OrderFilter, cursor: OrderCursor | null, max: number): Promise<OrderPage>;
  /** What happened to an order, oldest first. */
  orderHistory(orderId: OrderId): Promise<readonly OrderEvent[]>;
  /** What was told of its money, oldest first. */
  orderPayments(orderId: OrderId): Promise<readonly Payment[]>;
  cancelOrder(request: CancelRequest): Promise<CancelAnswer>;
  notePayment(notice: PaymentNotice): Promise<PaymentNoted | Refusal>;
  /** What a paid order is for was delivered. */
  fulfilOrder(orderId: OrderId): Promise<FulfilAnswer>;
  /** Calls `listener` with orders that changed; the returned function ends it. A hint: what is missed must be asked for. */
  watchOrders(listener: (orders: readonly Order[]) => void): () => void;
  /** Null for a draft, too: what is not published is not known to buyers. */
  findSale(saleId: SaleId): Promise<Sale | null>;
  /** Of a published sale: whether any can be had now; a second old at most. */
  hasUnitsLeft(saleId: SaleId): Promise<boolean>;
  /** Published sales. */
  listSales(): Promise<readonly Sale[]>;
  /** Drafts, too. */
  listAllSales(): Promise<readonly Sale[]>;

  createSale(wish: SaleWish): Promise<CreateSaleAnswer>;
  /** Publishes, pauses, resumes or closes a sale. */
  operateSale(saleId: SaleId, operation: SaleOperation): Promise<OperateSaleAnswer>;
  /** Ends a closed sale for good, when nothing in it is open any more. */
  settleSale(saleId: SaleId): Promise<SettleSaleResult>;
  patchSale(request: PatchRequest): Promise<PatchSaleResult>;
  receiveStock(saleId: SaleId, change: StockChange): Promise<ReceiveStockResult>;
  withdrawStock(request: WithdrawRequest): Promise<WithdrawStockResult>;
  showSale(saleId: SaleId): Promise<Sale | null>;
  readPlaces(saleId: SaleId): Promise<ReadPlacesResult>;
  /** Null: there is nothing to send with. */
  readonly webhooks: WebhookOperations | null;
  /** What was set aside for a person. */
  readonly quarantine: QuarantineOperations;
  /** Keeps the first answers of calls that carry a key. */
  readonly idempotency: Idempotency;

  read(): Promise<EngineReadings>;
  /** Whether the ledger takes what is sold, as of the last tries; null: another process settles. */
  settles(): boolean | null;
  /** Loads the gate for every sale and begins to settle, where it works. */
  start(): Promise<void>;
  /** What is queued would end with this process: settlement's ceiling holds no more. */
  hurry(): void;
  /** Ends after what is in hand is settled. */
  stop(): Promise<void>;
}
