/**
 * Puts an engine together from adapters: the request side, the worker side and what keeps the stock, as one object that
 * HTTP, commands and programs use. It opens nothing itself; what it is given, its owner closes.
 */
import { noTelemetry } from '../adapters/memory/telemetry.ts';
import type { Buyer } from '../domain/buyer.ts';
import { Fault } from '../domain/fault.ts';
import type { ClaimMark } from '../domain/gate/decide-claim.ts';
import type { OrderId, SaleId } from '../domain/ids.ts';
import type { StockChange } from '../domain/inventory/decide-stock.ts';
import { HOME_REGION, ONLY_SEGMENT } from '../domain/inventory/quota.ts';
import type { KnownOrder, Order } from '../domain/order/order.ts';
import type { OrderCursor } from '../domain/order/order-cursor.ts';
import type { OrderEvent } from '../domain/order/order-event.ts';
import type { PaymentNotice } from '../domain/order/payment.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { SaleOperation } from '../domain/sale/operation.ts';
import type { Sale, SaleDraft } from '../domain/sale/sale.ts';
import { type BulkAnswer, type BulkItem, bulkPurchase } from '../funnel/bulk-purchase.ts';
import { type CancelAnswer, type CancelRequest, cancelOrder } from '../funnel/cancel-order.ts';
import { type ChargerDeps, createCharger } from '../funnel/charger.ts';
import { findOrder } from '../funnel/find-order.ts';
import { createClaimBatchers } from '../funnel/gate/claim-batcher.ts';
import { gateWithRetry } from '../funnel/gate/gate-with-retry.ts';
import { gateWithTelemetry } from '../funnel/gate/gate-with-telemetry.ts';
import { createHotEntries } from '../funnel/gateway/hot-entries.ts';
import { createIntake, type IntakeBounds, NO_BOUNDS } from '../funnel/gateway/intake.ts';
import { stageOf } from '../funnel/gateway/stage-of.ts';
import { type IssuedToken, issueToken, readMarkKey } from '../funnel/issue-token.ts';
import { createKnownOrders } from '../funnel/known-orders.ts';
import { type BreakerState, type CircuitBreaker, createCircuitBreaker } from '../funnel/ledger/circuit-breaker.ts';
import { LEDGER_BREAKER, settlementWithBreaker } from '../funnel/ledger/settlement-with-breaker.ts';
import { settlementWithTelemetry } from '../funnel/ledger/settlement-with-telemetry.ts';
import { notePayment, type PaymentNoted } from '../funnel/note-payment.ts';
import { type PurchaseAccepted, type PurchaseRequest, purchase } from '../funnel/purchase.ts';
import { createOrderWatch } from '../funnel/queue/order-watch.ts';
import { createSweeper } from '../funnel/sweeper.ts';
import { WALLET_BREAKER, walletWithBreaker } from '../funnel/wallet-with-breaker.ts';
import { createWorker } from '../funnel/worker.ts';
import {
  type OperateSaleAnswer,
  operateSale,
  type PatchRequest,
  patchSale,
  receiveStock,
} from '../inventory/change-sale.ts';
import { type CreateSaleAnswer, createSale } from '../inventory/create-sale.ts';
import { createGateSession } from '../inventory/gate-session.ts';
import { gateThatRenews } from '../inventory/gate-that-renews.ts';
import { gateThatReopens } from '../inventory/gate-that-reopens.ts';
import { createDryJudge, type DryJudge } from '../inventory/judge-dry.ts';
import { createKeeper } from '../inventory/keeper.ts';
import { type ReadPlacesResult, readPlaces } from '../inventory/read-places.ts';
import { settleSale } from '../inventory/settle-sale.ts';
import { type WithdrawRequest, type WithdrawStockResult, withdrawStock } from '../inventory/withdraw-stock.ts';
import type { ClaimMarks } from '../ports/claim-marks.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from '../ports/gate.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Idempotency } from '../ports/idempotency.ts';
import type { ReceiveStockResult } from '../ports/inventory-centre.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { OrderFeed } from '../ports/order-feed.ts';
import type { OrderFilter, OrderPage } from '../ports/orders.ts';
import type { Queue, QueueDepth } from '../ports/queue.ts';
import type { PatchSaleResult, SettleSaleResult } from '../ports/sales.ts';
import type { Settlement } from '../ports/settlement.ts';
import type { Signer } from '../ports/signer.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Wallet } from '../ports/wallet.ts';

export interface EngineParts {
  readonly clock: Clock;
  readonly idSource: IdSource;
  readonly signer: Signer;
  readonly gate: Gate;
  /** What deadlines of calls to the gate are told by: the gate's own, when that is not this machine's. */
  readonly gateClock?: Clock;
  readonly queue: Queue;
  /** Without it nothing is known of orders that the ledger does not have. */
  readonly marks?: ClaimMarks;
  /** A purchase is answered once it is claimed: the queue outlives this process. */
  readonly answersQueued?: boolean;
  readonly feed: OrderFeed;
  readonly ledger: Ledger;
  /** Without one nothing is sold for points. */
  readonly wallet?: Wallet;
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
  /** Null: there is no wallet. */
  readonly walletBreaker: BreakerState | null;
  readonly purchasesInFlight: number;
  /** Null: the queue cannot be asked now. */
  readonly queue: QueueDepth | null;
}

export interface Engine {
  /** The same buyer and idempotency key get the same order id. */
  issueToken(saleId: SaleId, buyer: Buyer, idempotencyKey?: string | null): Promise<IssuedToken | Refusal>;
  /** Null: another try may come in. */
  shed(): Refusal | null;
  purchase(request: PurchaseRequest): Promise<PurchaseAccepted | Refusal>;
  /** Many at once for a back end, one answer each, in their order. */
  bulkPurchase(caller: string, items: readonly BulkItem[]): Promise<readonly BulkAnswer[]>;
  /** Null for an order that does not exist, and for one that is another buyer's. */
  findOrder(orderId: OrderId, buyer: Buyer): Promise<KnownOrder | null>;
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
  /** Of a published sale: whether any can be had now; a second old at most. */
  hasUnitsLeft(saleId: SaleId): Promise<boolean>;
  /** Published sales. */
  listSales(): Promise<readonly Sale[]>;
  /** Drafts, too. */
  listAllSales(): Promise<readonly Sale[]>;

  createSale(draft: SaleDraft): Promise<CreateSaleAnswer>;
  /** Publishes, pauses, resumes or closes a sale. */
  operateSale(saleId: SaleId, operation: SaleOperation): Promise<OperateSaleAnswer>;
  /** Ends a closed sale for good, when nothing in it is open any more. */
  settleSale(saleId: SaleId): Promise<SettleSaleResult>;
  patchSale(request: PatchRequest): Promise<PatchSaleResult>;
  receiveStock(saleId: SaleId, change: StockChange): Promise<ReceiveStockResult>;
  withdrawStock(request: WithdrawRequest): Promise<WithdrawStockResult>;
  showSale(saleId: SaleId): Promise<Sale | null>;
  readPlaces(saleId: SaleId): Promise<ReadPlacesResult>;
  /** Keeps the first answers of calls that carry a key. */
  readonly idempotency: Idempotency;

  read(): Promise<EngineReadings>;
  /** Loads the gate for every sale and begins to settle. */
  start(): Promise<void>;
  /** Ends after what is in hand is settled. */
  stop(): Promise<void>;
}

/** One sweep a second for each sale that is looked at. */
const VERDICT_ENTRIES = { freshMs: 500, staleMs: 1_000, maxKeys: 1_000 };

/** A loser who asks again and again costs the gate one look a second. */
const MARK_ENTRIES = { freshMs: 1_000, staleMs: 1_000, maxKeys: 10_000 };

const LIST_ENTRIES = { freshMs: 500, staleMs: 30_000, maxKeys: 1 };

const NO_MARKS: ClaimMarks = { ofBuyer: async () => [] };

const SALE_ENTRIES = { freshMs: 500, staleMs: 30_000, maxKeys: 1_000 };

export function buildEngine(parts: EngineParts): Engine {
  const { clock, idSource, signer, queue, feed, ledger, onFault, onCrash } = parts;
  const { bounds = NO_BOUNDS, loopLagMs = () => 0, telemetry = noTelemetry } = parts;
  const { patientGate, session } = meetGate(parts);
  const sales = createHotEntries(clock, (id) => ledger.sales.find(id), SALE_ENTRIES);
  const { inventoryCentre, sales: saleStore } = ledger;
  const dryJudge = createDryJudge({ gate: patientGate, inventoryCentre, clock });
  const looks = createLooks(parts, dryJudge);
  const gate = gateThatReopens(gateWithTelemetry(patientGate, telemetry), dryJudge.forget);
  const stocking = { gate, queue, session, clock, idSource, inventoryCentre, sales: saleStore };
  const selling = { ...stocking, hasWallet: parts.wallet !== undefined };
  const ledgerBreaker = createCircuitBreaker(clock, LEDGER_BREAKER);
  const settlement = settlementOf(parts, ledgerBreaker);
  const intake = createIntake({
    ...{ clock, bounds, loopLagMs, depth: () => queue.depth() },
    askLedger: () => ledgerBreaker.ask(),
  });
  const watch = createOrderWatch(feed, clock);
  const stopCounting = feed.subscribe((orders) => telemetry.ordersChanged(orders.map(({ state }) => state)));
  const buying = {
    ...{ signer, clock, idSource, sales, watch, orders: ledger.orders },
    batcherOf: createClaimBatchers(gate, (segment) => session.call(segment)),
    ...{ dryJudge, buyersMarks: looks.buyersMarks, intake, knownOrders: createKnownOrders(ledger.orders, clock) },
    answersQueued: parts.answersQueued ?? false,
  };
  const settling = { settlement, feed, consumer: idSource.newId() };
  const worker = createWorker({ ...stocking, ...settling, onFault, onCrash });
  const keeper = createKeeper({ ...stocking, onFault, onCrash });
  const living = { ...stocking, ...buying, feed, onFault };
  const sweeper = createSweeper({ ...living, onCrash });
  const charging = parts.wallet ? openWallet(parts.wallet, { ...living, onCrash }, telemetry) : null;

  return {
    async issueToken(saleId, buyer, idempotencyKey = null) {
      const issued = await issueToken(buying, { saleId, buyer, idempotencyKey });
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
    findOrder: (orderId, buyer) => findOrder(looks, orderId, buyer),
    async findSale(saleId) {
      const sale = await sales.get(saleId);
      return sale?.state === 'draft' ? null : sale;
    },
    hasUnitsLeft: (saleId) => looks.hasUnitsLeft(saleId),
    showOrder: (orderId) => ledger.orders.find(orderId),
    listOrders: (filter, cursor, max) => ledger.orders.list(filter, cursor, max),
    orderHistory: (orderId) => ledger.orders.history(orderId),
    cancelOrder: (request) => cancelOrder(living, request),
    notePayment: (notice) => notePayment(living, notice),
    watchOrders: (listener) => feed.subscribe(listener),
    listSales: async () => (await ledger.sales.list()).filter((sale) => sale.state !== 'draft'),
    listAllSales: () => ledger.sales.list(),

    createSale: (draft) => createSale(selling, draft),
    operateSale: (saleId, operation) => thenDrop(sales, saleId, operateSale(selling, saleId, operation)),
    settleSale: (saleId) => thenDrop(sales, saleId, settleSale(stocking, saleId)),
    patchSale: (request) => thenDrop(sales, request.saleId, patchSale(stocking, request)),
    receiveStock: (saleId, change) => receiveStock(stocking, saleId, change),
    withdrawStock: (request) => withdrawStock(stocking, request),
    showSale: (saleId) => ledger.sales.find(saleId),
    readPlaces: (saleId) => readPlaces(stocking, saleId),
    idempotency: ledger.idempotency,

    read: async () => ({
      ...{ ledgerBreaker: ledgerBreaker.state, walletBreaker: charging?.breaker.state ?? null },
      ...{ purchasesInFlight: intake.inFlight(), queue: await queue.depth().catch(nullWhenDown) },
    }),

    async start() {
      await keeper.round();
      worker.start();
      keeper.start();
      sweeper.start();
      charging?.charger.start();
    },
    async stop() {
      await charging?.charger.stop();
      await sweeper.stop();
      await keeper.stop();
      await worker.stop();
      watch.close();
      stopCounting();
    },
  };
}

function openWallet(wallet: Wallet, deps: Omit<ChargerDeps, 'wallet' | 'askWallet'>, telemetry: Telemetry) {
  const breaker = createCircuitBreaker(deps.clock, WALLET_BREAKER);
  const told = walletWithBreaker(wallet, breaker, telemetry);
  return { breaker, charger: createCharger({ ...deps, wallet: told, askWallet: () => breaker.ask() }) };
}

/** What was changed is read again by the next who asks. */
async function thenDrop<Result>(
  sales: { drop(saleId: SaleId): void },
  saleId: SaleId,
  change: Promise<Result>,
): Promise<Result> {
  const result = await change;
  sales.drop(saleId);
  return result;
}

function settlementOf({ ledger, clock, telemetry = noTelemetry }: EngineParts, breaker: CircuitBreaker): Settlement {
  return settlementWithBreaker(settlementWithTelemetry(ledger.settlement, telemetry, clock), breaker, clock);
}

/** What many look at and little changes, or what is asked in place of the ledger. */
function createLooks({ clock, ledger, marks: claimMarks = NO_MARKS }: EngineParts, dryJudge: DryJudge) {
  const verdicts = createHotEntries(clock, (id) => dryJudge.look(id), VERDICT_ENTRIES);
  return {
    ...{ claimMarks, orders: ledger.orders },
    saleLists: createHotEntries(clock, () => ledger.sales.list(), LIST_ENTRIES),
    buyersMarks: createHotEntries(clock, (key) => marksOf(claimMarks, key), MARK_ENTRIES),
    /** What cannot be told now is not said to be gone. */
    async hasUnitsLeft(saleId: SaleId): Promise<boolean> {
      return ((await verdicts.get(saleId).catch(nullWhenDown)) ?? 'units_left') === 'units_left';
    },
  };
}

function marksOf(claimMarks: ClaimMarks, key: string): Promise<readonly ClaimMark[]> {
  const [saleId, buyerId] = readMarkKey(key);
  return claimMarks.ofBuyer({ saleId, region: HOME_REGION, segment: ONLY_SEGMENT }, buyerId);
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
