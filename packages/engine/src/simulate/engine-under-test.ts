/**
 * The engine as a world sees it: what it is built from and what it is asked. The builder is an argument, so that the engine
 * that runs here is put together by the very code that puts it together for a user.
 */
import type { Buyer } from '../domain/buyer.ts';
import type { Fault } from '../domain/fault.ts';
import type { OrderId, SaleId } from '../domain/ids.ts';
import type { StockChange } from '../domain/inventory/decide-stock.ts';
import type { KnownOrder } from '../domain/order/order.ts';
import type { PaymentNotice } from '../domain/order/payment.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { SaleOperation } from '../domain/sale/operation.ts';
import type { CancelAnswer, CancelRequest } from '../funnel/cancel-order.ts';
import type { IssuedToken } from '../funnel/issue-token.ts';
import type { PaymentNoted } from '../funnel/note-payment.ts';
import type { PurchaseAccepted, PurchaseRequest } from '../funnel/purchase.ts';
import type { OperateSaleAnswer } from '../inventory/change-sale.ts';
import type { CreateSaleAnswer, SaleWish } from '../inventory/create-sale.ts';
import type { ReadPlacesResult } from '../inventory/read-places.ts';
import type { WithdrawRequest, WithdrawStockResult } from '../inventory/withdraw-stock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from '../ports/gate.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { ReceiveStockResult } from '../ports/inventory-centre.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { OrderFeed } from '../ports/order-feed.ts';
import type { Queue } from '../ports/queue.ts';
import type { SettleSaleResult } from '../ports/sales.ts';
import type { Signer } from '../ports/signer.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';

export interface PartsUnderTest {
  readonly clock: Clock;
  readonly idSource: IdSource;
  readonly signer: Signer;
  readonly gate: Gate;
  readonly queue: Queue;
  readonly feed: OrderFeed;
  readonly ledger: Ledger;
  readonly wallet?: Wallet;
  readonly webhookSender?: WebhookSender;
  readonly random?: () => number;
  readonly sharesWork?: boolean;
  readonly onFault: (fault: Fault) => void;
  readonly onCrash: (error: unknown) => void;
}

export interface EngineUnderTest {
  issueToken(saleId: SaleId, buyer: Buyer): Promise<IssuedToken | Refusal>;
  purchase(request: PurchaseRequest): Promise<PurchaseAccepted | Refusal>;
  findOrder(orderId: OrderId, buyer: Buyer): Promise<KnownOrder | null>;
  cancelOrder(request: CancelRequest): Promise<CancelAnswer>;
  notePayment(notice: PaymentNotice): Promise<PaymentNoted | Refusal>;
  createSale(wish: SaleWish): Promise<CreateSaleAnswer>;
  operateSale(saleId: SaleId, operation: SaleOperation): Promise<OperateSaleAnswer>;
  settleSale(saleId: SaleId): Promise<SettleSaleResult>;
  receiveStock(saleId: SaleId, change: StockChange): Promise<ReceiveStockResult>;
  withdrawStock(request: WithdrawRequest): Promise<WithdrawStockResult>;
  readPlaces(saleId: SaleId): Promise<ReadPlacesResult>;
  start(): Promise<void>;
}

export type BuildEngine = (parts: PartsUnderTest) => EngineUnderTest;
