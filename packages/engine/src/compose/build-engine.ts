/**
 * Puts an engine together from adapters: the request side, the worker side and what keeps the stock, as one object that
 * HTTP, commands and programs use. It opens nothing itself; what it is given, its owner closes.
 */
import { noTelemetry } from '../adapters/memory/telemetry.ts';
import type { Buyer } from '../domain/buyer.ts';
import { Fault } from '../domain/fault.ts';
import type { OrderId, SaleId } from '../domain/ids.ts';
import type { StockChange } from '../domain/inventory/decide-stock.ts';
import type { Order } from '../domain/order/order.ts';
import type { OrderCursor } from '../domain/order/order-cursor.ts';
import type { OrderEvent } from '../domain/order/order-event.ts';
import type { PaymentNotice } from '../domain/order/payment.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { SaleOperation } from '../domain/sale/operation.ts';
import type { Sale, SaleDraft } from '../domain/sale/sale.ts';
import { type BulkAnswer, type BulkItem, bulkPurchase } from '../funnel/bulk-purchase.ts';
import { type CancelAnswer, type CancelRequest, cancelOrder } from '../funnel/cancel-order.ts';
import { createClaimBatchers } from '../funnel/gate/claim-batcher.ts';
import { gateWithRetry } from '../funnel/gate/gate-with-retry.ts';
import { gateWithTelemetry } from '../funnel/gate/gate-with-telemetry.ts';
import { createHotEntries } from '../funnel/gateway/hot-entries.ts';
import { createIntake, type IntakeBounds, NO_BOUNDS } from '../funnel/gateway/intake.ts';
import { stageOf } from '../funnel/gateway/stage-of.ts';
import { type IssuedToken, issueToken } from '../funnel/issue-token.ts';
import { createKnownOrders } from '../funnel/known-orders.ts';
import { type BreakerState, createCircuitBreaker } from '../funnel/ledger/circuit-breaker.ts';
import { LEDGER_BREAKER, settlementWithBreaker } from '../funnel/ledger/settlement-with-breaker.ts';
import { settlementWithTelemetry } from '../funnel/ledger/settlement-with-telemetry.ts';
import { notePayment, type PaymentNoted } from '../funnel/note-payment.ts';
import { type PurchaseAccepted, type PurchaseRequest, purchase } from '../funnel/purchase.ts';
import { createOrderWatch } from '../funnel/queue/order-watch.ts';
import { createSweeper } from '../funnel/sweeper.ts';
import { createWorker } from '../funnel/worker.ts';
import { operateSale, type PatchRequest, patchSale, receiveStock } from '../inventory/change-sale.ts';
import { createSale } from '../inventory/create-sale.ts';
import { createGateSession } from '../inventory/gate-session.ts';
import { gateThatRenews } from '../inventory/gate-that-renews.ts';
import { gateThatReopens } from '../inventory/gate-that-reopens.ts';
import { createDryJudge } from '../inventory/judge-dry.ts';
import { createKeeper } from '../inventory/keeper.ts';
import { type ReadPlacesResult, readPlaces } from '../inventory/read-places.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from '../ports/gate.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { ReceiveStockResult } from '../ports/inventory-centre.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { OrderFeed } from '../ports/order-feed.ts';
import type { OrderFilter, OrderPage } from '../ports/orders.ts';
import type { Queue, QueueDepth } from '../ports/queue.ts';
import type { CreateSaleResult, OperateSaleResult, PatchSaleResult } from '../ports/sales.ts';
import type { Signer } from '../ports/signer.ts';
import type { Telemetry } from '../ports/telemetry.ts';

export interface EngineParts {
  readonly clock: Clock;
  readonly idSource: IdSource;
  readonly signer: Signer;
  readonly gate: Gate;
  /** What deadlines of calls to the gate are told by: the gate's own, when that is not this machine's. */
  readonly gateClock?: Clock;
  readonly queue: Queue;
  /** A purchase is answered once it is claimed: the queue outlives this process. */
  readonly answersQueued?: boolean;
  readonly feed: OrderFeed;
  readonly ledger: Ledger;
  /** No bounds when not given. */
  readonly bounds?: IntakeBounds;
  /** How late the event loop is. */
  readonly loopLagMs?: () => number;
  /** Nothing is counted when not given. */
  readonly telemetry?: Telemetry;
  /** A fault that is being retried. */
  readonly onFault: (fault: Fault) => void;
  /** A broken promise of our own: the process should end and recover. */
  readonly onCrash: (error: unknown) => void;
}

/** How the engine is, at this moment. */
export interface EngineReadings {
  readonly ledgerBreaker: BreakerState;
  readonly purchasesInFlight: number;
  /** Null: the queue cannot be asked now. */
  readonly queue: QueueDepth | null;
}

export interface Engine {
  issueToken(saleId: SaleId, buyer: Buyer): Promise<IssuedToken | Refusal>;
  /** Null: another try may come in. */
  shed(): Refusal | null;
  purchase(request: PurchaseRequest): Promise<PurchaseAccepted | Refusal>;
  /** Many at once for a back end, one answer each, in their order. */
  bulkPurchase(caller: string, items: readonly BulkItem[]): Promise<readonly BulkAnswer[]>;
  /** Null for an order that does not exist, and for one that is another buyer's. */
  findOrder(orderId: OrderId, buyer: Buyer): Promise<Order | null>;
  /** Whoever's it is. */
  showOrder(orderId: OrderId): Promise<Order | null>;
  /** Pages of orders, oldest first. */
  listOrders(filter: OrderFilter, cursor: OrderCursor | null, max: number): Promise<OrderPage>;
  /** What happened to an order, oldest first. */
  orderHistory(orderId: OrderId): Promise<readonly OrderEvent[]>;
  cancelOrder(request: CancelRequest): Promise<CancelAnswer>;
  notePayment(notice: PaymentNotice): Promise<PaymentNoted | Refusal>;
  /** Calls `listener` with orders that changed; the returned function ends it. A hint: what is missed must be asked for. */
  watchOrders(listener: (orders: readonly Order[]) => void): () => void;
  /** Null for a draft, too: what is not published is not known to buyers. */
  findSale(saleId: SaleId): Promise<Sale | null>;
  /** Published sales. */
  listSales(): Promise<readonly Sale[]>;
  /** Drafts, too. */
  listAllSales(): Promise<readonly Sale[]>;

  createSale(draft: SaleDraft): Promise<CreateSaleResult>;
  /** Publishes, pauses, resumes or closes a sale. */
  operateSale(saleId: SaleId, operation: SaleOperation): Promise<OperateSaleResult>;
  patchSale(request: PatchRequest): Promise<PatchSaleResult>;
  receiveStock(saleId: SaleId, change: StockChange): Promise<ReceiveStockResult>;
  showSale(saleId: SaleId): Promise<Sale | null>;
  readPlaces(saleId: SaleId): Promise<ReadPlacesResult>;

  read(): Promise<EngineReadings>;
  /** Loads the gate for every sale and begins to settle. */
  start(): Promise<void>;
  /** Ends after what is in hand is settled. */
  stop(): Promise<void>;
}

const SALE_ENTRIES = { freshMs: 500, staleMs: 30_000, maxKeys: 1_000 };

export function buildEngine(parts: EngineParts): Engine {
  const { clock, idSource, signer, queue, feed, ledger } = parts;
  const { bounds = NO_BOUNDS, loopLagMs = () => 0, telemetry = noTelemetry } = parts;
  const { patientGate, session } = meetGate(parts);
  const sales = createHotEntries(clock, (id) => ledger.sales.find(id), SALE_ENTRIES);
  const { inventoryCentre, sales: saleStore } = ledger;
  const dryJudge = createDryJudge({ gate: patientGate, inventoryCentre, clock });
  const gate = gateThatReopens(gateWithTelemetry(patientGate, telemetry), dryJudge.forget);
  const stocking = { gate, queue, session, clock, idSource, inventoryCentre, sales: saleStore };
  const ledgerBreaker = createCircuitBreaker(clock, LEDGER_BREAKER);
  const counted = settlementWithTelemetry(ledger.settlement, telemetry, clock);
  const settlement = settlementWithBreaker(counted, ledgerBreaker, clock);
  const intake = createIntake({
    ...{ clock, bounds, loopLagMs, depth: () => queue.depth() },
    askLedger: () => ledgerBreaker.ask(),
  });
  const watch = createOrderWatch(feed, clock);
  const stopCounting = feed.subscribe((orders) => telemetry.ordersChanged(orders.map(({ state }) => state)));
  const buying = {
    ...{ signer, clock, idSource, sales, watch, orders: ledger.orders },
    batcherOf: createClaimBatchers(gate, (segment) => session.call(segment)),
    ...{ dryJudge, intake, knownOrders: createKnownOrders(ledger.orders, clock) },
    answersQueued: parts.answersQueued ?? false,
  };
  const { onFault, onCrash } = parts;
  const worker = createWorker({
    ...stocking,
    ...{ settlement, feed, onFault, onCrash },
    consumer: idSource.newId(),
  });
  const keeper = createKeeper({ ...stocking, onFault, onCrash });
  const living = { ...stocking, ...buying, feed, onFault };
  const sweeper = createSweeper({ ...living, onCrash });

  return {
    async issueToken(saleId, buyer) {
      const issued = await issueToken(buying, saleId, buyer);
      if (issued.kind === 'refused') telemetry.turnedAway('token', issued.reason);
      return issued;
    },
    shed: () => intake.shed(),
    async purchase(request) {
      const answer = await purchase(buying, request);
      if (answer.kind === 'refused') telemetry.turnedAway(stageOf(answer), answer.reason);
      return answer;
    },
    bulkPurchase: (caller, items) => bulkPurchase(buying, caller, items),
    async findOrder(orderId, buyer) {
      const order = await ledger.orders.find(orderId);
      return order?.buyerId === buyer.buyerId ? order : null;
    },
    async findSale(saleId) {
      const sale = await sales.get(saleId);
      return sale?.state === 'draft' ? null : sale;
    },
    showOrder: (orderId) => ledger.orders.find(orderId),
    listOrders: (filter, cursor, max) => ledger.orders.list(filter, cursor, max),
    orderHistory: (orderId) => ledger.orders.history(orderId),
    cancelOrder: (request) => cancelOrder(living, request),
    notePayment: (notice) => notePayment(living, notice),
    watchOrders: (listener) => feed.subscribe(listener),
    listSales: async () => (await ledger.sales.list()).filter((sale) => sale.state !== 'draft'),
    listAllSales: () => ledger.sales.list(),

    createSale: (draft) => createSale(ledger.sales, draft),
    async operateSale(saleId, operation) {
      const result = await operateSale(stocking, saleId, operation);
      sales.drop(saleId);
      return result;
    },
    async patchSale(request) {
      const result = await patchSale(stocking, request);
      sales.drop(request.saleId);
      return result;
    },
    receiveStock: (saleId, change) => receiveStock(stocking, saleId, change),
    showSale: (saleId) => ledger.sales.find(saleId),
    readPlaces: (saleId) => readPlaces(stocking, saleId),

    async read() {
      const depth = await queue.depth().catch(nullWhenDown);
      return { ledgerBreaker: ledgerBreaker.state, purchasesInFlight: intake.inFlight(), queue: depth };
    },

    async start() {
      await keeper.round();
      worker.start();
      keeper.start();
      sweeper.start();
    },
    async stop() {
      await sweeper.stop();
      await keeper.stop();
      await worker.stop();
      watch.close();
      stopCounting();
    },
  };
}

/** The gate as the engine speaks to it: patiently, and to the server that is there. */
function meetGate({ gate, clock, gateClock = clock }: EngineParts) {
  const retried = gateWithRetry(gate, gateClock);
  const session = createGateSession(retried, gateClock);
  return { patientGate: gateThatRenews(retried, session), session };
}

function nullWhenDown(error: unknown): null {
  if (error instanceof Fault && error.retryable) return null;
  throw error;
}
