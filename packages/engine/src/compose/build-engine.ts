/**
 * Puts an engine together from adapters: the request side here, the worker side where this process works, as one object that
 * HTTP, commands and programs use. It opens nothing itself; what it is given, its owner closes.
 */
import { noTelemetry } from '../adapters/memory/telemetry.ts';
import { Fault } from '../domain/fault.ts';
import type { ClaimMark } from '../domain/gate/decide-claim.ts';
import type { SaleId } from '../domain/ids.ts';
import { HOME_REGION } from '../domain/inventory/quota.ts';
import type { Sale } from '../domain/sale/sale.ts';
import { bulkPurchase } from '../funnel/bulk-purchase.ts';
import { cancelOrder } from '../funnel/cancel-order.ts';
import { createLostCount, findLost } from '../funnel/find-lost.ts';
import { findOrder } from '../funnel/find-order.ts';
import { fulfilOrder } from '../funnel/fulfil-order.ts';
import { type BorrowingDeps, batcherThatBorrows } from '../funnel/gate/batcher-that-borrows.ts';
import { createClaimBatchers } from '../funnel/gate/claim-batcher.ts';
import { gateWithRetry } from '../funnel/gate/gate-with-retry.ts';
import { gateWithTelemetry } from '../funnel/gate/gate-with-telemetry.ts';
import { createHotEntries, type HotEntries } from '../funnel/gateway/hot-entries.ts';
import { createIntake, type Intake, NO_BOUNDS } from '../funnel/gateway/intake.ts';
import { createSegmentFinder, type SegmentFinder } from '../funnel/gateway/segment-finder.ts';
import { stageOf } from '../funnel/gateway/stage-of.ts';
import { issueToken, readMarkKey } from '../funnel/issue-token.ts';
import { createKnownOrders } from '../funnel/known-orders.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../funnel/ledger/circuit-breaker.ts';
import { LEDGER_BREAKER } from '../funnel/ledger/settlement-with-breaker.ts';
import { notePayment } from '../funnel/note-payment.ts';
import { createQuarantineOperations } from '../funnel/operate-quarantine.ts';
import { createWebhookOperations, type WebhookOperations } from '../funnel/operate-webhooks.ts';
import { purchase } from '../funnel/purchase.ts';
import { feedWithTelemetry } from '../funnel/queue/feed-with-telemetry.ts';
import { createOrderWatch } from '../funnel/queue/order-watch.ts';
import { refuseUnread } from '../funnel/refuse-unread.ts';
import { createStrayWatch } from '../inventory/bring-back-strays.ts';
import { operateSale, patchSale, receiveStock } from '../inventory/change-sale.ts';
import { createSale } from '../inventory/create-sale.ts';
import { createGateSession, type GateSession } from '../inventory/gate-session.ts';
import { gateThatRenews } from '../inventory/gate-that-renews.ts';
import { gateThatReopens } from '../inventory/gate-that-reopens.ts';
import { createDryJudge, type DryJudge } from '../inventory/judge-dry.ts';
import { createLedgerWatch } from '../inventory/ledger-watch.ts';
import { createLoadWatch } from '../inventory/load-watch.ts';
import { readPlaces } from '../inventory/read-places.ts';
import { settleSale } from '../inventory/settle-sale.ts';
import { withdrawStock } from '../inventory/withdraw-stock.ts';
import type { ClaimMarks } from '../ports/claim-marks.ts';
import type { Gate } from '../ports/gate.ts';
import { createLending, createSweeping } from './create-lending.ts';
import { createWork, type Work } from './create-work.ts';
import type { Engine, EngineParts } from './engine.ts';

type AskedOfLedger = Pick<
  Engine,
  'findSale' | 'showOrder' | 'listOrders' | 'orderHistory' | 'orderPayments' | 'listSales' | 'listAllSales' | 'showSale'
>;

/** One sweep a second for each sale that is looked at. */
const VERDICT_ENTRIES = { freshMs: 500, staleMs: 1_000, maxKeys: 1_000 };

/** A loser who asks again and again costs the gate one look a second. */
const MARK_ENTRIES = { freshMs: 1_000, staleMs: 1_000, maxKeys: 10_000 };

const LIST_ENTRIES = { freshMs: 500, staleMs: 30_000, maxKeys: 1 };

const NO_MARKS: ClaimMarks = { isNear: false, ofBuyer: async () => [] };

const SALE_ENTRIES = { freshMs: 500, staleMs: 30_000, maxKeys: 1_000 };

export function buildEngine(parts: EngineParts): Engine {
  const { clock, signer, idSource, queue, ledger, works = true } = parts;
  const { bounds = NO_BOUNDS, loopLagMs = () => 0, telemetry = noTelemetry } = parts;
  const feed = feedWithTelemetry(parts.feed, telemetry);
  const { patientGate, session } = meetGate(parts);
  const sales = createHotEntries(clock, (id) => ledger.sales.find(id), SALE_ENTRIES);
  const { inventoryCentre, idempotency, sales: saleStore } = ledger;
  const sweeping = createSweeping(parts, { gate: patientGate, inventoryCentre, clock });
  const dryJudge = createDryJudge({ clock, sweep: sweeping.sweep });
  const segments = createSegmentFinder((id) => sales.get(id));
  const looks = createLooks(parts, dryJudge, segments);
  const gate = gateThatReopens(gateWithTelemetry(patientGate, telemetry), dryJudge.forget);
  const stocking = {
    ...{ gate, queue, session, clock, idSource, inventoryCentre, sales: saleStore },
    ...watchesOf(parts),
  };
  const selling = { ...stocking, ...divisionOf(parts), hasWallet: parts.wallet !== undefined };
  const ledgerBreaker = createCircuitBreaker(clock, LEDGER_BREAKER);
  const intake = createIntake({
    ...{ clock, bounds, loopLagMs, depth: () => queue.depth() },
    askLedger: () => ledgerBreaker.ask(),
  });
  const watch = createOrderWatch(feed, clock);
  const lending = createLending(parts, sweeping, stocking);
  const buying = {
    ...{ signer, clock, idSource, sales, segments, watch, orders: ledger.orders },
    batcherOf: createBatchers(gate, session, { dryJudge, lender: lending.lender }),
    ...{ dryJudge, buyersMarks: looks.buyersMarks, claimMarks: looks.claimMarks, intake },
    knownOrders: createKnownOrders(ledger.orders, clock),
    answersQueued: parts.answersQueued ?? false,
  };
  const living = { ...stocking, ...buying, saleLists: looks.saleLists, feed, onFault: parts.onFault };
  const work = works ? createWork({ ...parts, feed }, { stocking, living, ledgerBreaker }) : null;

  return {
    async issueToken(saleId, buyer, idempotencyKey = null) {
      const issued = await issueToken(buying, { saleId, buyer, idempotencyKey });
      if (issued.kind === 'refused') telemetry.turnedAway('token', issued.reason);
      return issued;
    },
    shed: () => intake.shed(),
    refuseUnread: (saleId, buyer) => refuseUnread(buying, saleId, buyer),
    async purchase(request) {
      const answer = await purchase(buying, request);
      if (answer.kind === 'refused') telemetry.turnedAway(stageOf(answer), answer.reason);
      return answer;
    },
    bulkPurchase: (caller, items) => bulkPurchase(buying, caller, items),
    findOrder: async (orderId, buyer, receipt) =>
      (await findOrder(looks, orderId, buyer)) ?? findLost(looks, { orderId, buyer, receipt }),
    cancelOrder: (request) => cancelOrder(living, request),
    notePayment: (notice) => notePayment(living, notice),
    fulfilOrder: (orderId) => fulfilOrder(living, orderId),
    watchOrders: (listener) => feed.subscribe(listener),
    ...asked(parts, sales),
    hasUnitsLeft: (saleId) => looks.hasUnitsLeft(saleId),

    createSale: (wish) => createSale(selling, wish),
    operateSale: (saleId, operation) => thenDrop(sales, saleId, operateSale(selling, saleId, operation)),
    settleSale: (saleId) => thenDrop(sales, saleId, settleSale(stocking, saleId)),
    patchSale: (request) => thenDrop(sales, request.saleId, patchSale(stocking, request)),
    receiveStock: (saleId, change) => receiveStock(stocking, saleId, change),
    withdrawStock: (request) => withdrawStock(stocking, request),
    readPlaces: (saleId) => readPlaces(stocking, saleId),
    ...{ idempotency, webhooks: webhooksOf(parts), quarantine: createQuarantineOperations({ ...living, ...ledger }) },

    ...readingOf(parts, { intake, ledgerBreaker, work }),

    async start() {
      await work?.start();
      lending.listen((segment) => work?.isOurs(segment) ?? true);
    },
    hurry: () => work?.liftCeiling(),
    async stop() {
      lending.end();
      await work?.stop();
      watch.close();
    },
  };
}

function watchesOf({ clock, isGateShared, onFault }: EngineParts) {
  const onBehind = (saleId: SaleId) =>
    onFault(
      new Fault(
        'ledger_rolled_back',
        `The ledger has come back without its last commits. Sale ${saleId} is rebuilt from what it has; orders that it had answered since are gone, and their units are sold again.`,
      ),
    );
  return {
    strayWatch: createStrayWatch(clock),
    ledgerWatch: createLedgerWatch({ clock, onBehind }),
    ...(isGateShared && { loadWatch: createLoadWatch(clock) }),
  };
}

/** Dry is not an answer to a buyer: what stands before the batchers waits for units. */
function createBatchers(gate: Gate, session: GateSession, borrowing: BorrowingDeps) {
  return createClaimBatchers(gate, {
    openCall: (segment) => session.call(segment),
    wrap: (batcher, segment) => batcherThatBorrows(batcher, segment, borrowing),
  });
}

/** Into how many segments a new sale is divided. */
function divisionOf({ saleSegments, isGateShared = false }: EngineParts) {
  return { isGateShared, ...(saleSegments !== undefined && { saleSegments }) };
}

/** What is only read, from the ledger or from what was read a moment ago. */
function asked({ ledger }: EngineParts, sales: HotEntries<Sale>): AskedOfLedger {
  return {
    async findSale(saleId) {
      const sale = await sales.get(saleId);
      return sale?.state === 'draft' ? null : sale;
    },
    showOrder: (orderId) => ledger.orders.find(orderId),
    listOrders: (filter, cursor, max) => ledger.orders.list(filter, cursor, max),
    orderHistory: (orderId) => ledger.orders.history(orderId),
    orderPayments: (orderId) => ledger.orders.payments(orderId),
    listSales: async () => (await ledger.sales.list()).filter((sale) => sale.state !== 'draft'),
    listAllSales: () => ledger.sales.list(),
    showSale: (saleId) => ledger.sales.find(saleId),
  };
}

interface Read {
  readonly intake: Intake;
  readonly ledgerBreaker: CircuitBreaker;
  readonly work: Work | null;
}

/** How it goes. */
function readingOf({ queue, ledger }: EngineParts, { intake, ledgerBreaker, work }: Read) {
  return {
    read: async () => ({
      ...{ ledgerBreaker: ledgerBreaker.state, walletBreaker: work?.walletBreaker() ?? null },
      ceiling: work?.ceiling() ?? null,
      ...{ purchasesInFlight: intake.inFlight(), queue: await queue.depth().catch(nullWhenDown) },
      outbox: await ledger.outbox.depth().catch(nullWhenDown),
    }),
    settles: () => (work ? ledgerBreaker.state === 'closed' : null),
  };
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

/** What many look at and little changes, or what is asked in place of the ledger. */
function createLooks(
  { clock, ledger, marks: claimMarks = NO_MARKS, signer, telemetry = noTelemetry }: EngineParts,
  dryJudge: DryJudge,
  segments: SegmentFinder,
) {
  const verdicts = createHotEntries(clock, (id) => dryJudge.look(id), VERDICT_ENTRIES);
  return {
    ...{ claimMarks, orders: ledger.orders, inventoryCentre: ledger.inventoryCentre },
    ...{ signer, onLost: createLostCount(telemetry) },
    saleLists: createHotEntries(clock, () => ledger.sales.list(), LIST_ENTRIES),
    buyersMarks: createHotEntries(clock, (key) => marksOf(claimMarks, segments, key), MARK_ENTRIES),
    /** What cannot be told now is not said to be gone. */
    async hasUnitsLeft(saleId: SaleId): Promise<boolean> {
      return ((await verdicts.get(saleId).catch(nullWhenDown)) ?? 'units_left') === 'units_left';
    },
  };
}

async function marksOf(claimMarks: ClaimMarks, segments: SegmentFinder, key: string): Promise<readonly ClaimMark[]> {
  const [saleId, buyerId] = readMarkKey(key);
  const segment = await segments.find({ saleId, region: HOME_REGION, buyerId });
  return segment ? claimMarks.ofBuyer(segment, buyerId) : [];
}

/** The gate as the engine speaks to it: patiently, and to the server that is there. */
function meetGate({ gate, clock, gateClock = clock }: EngineParts) {
  const retried = gateWithRetry(gate, gateClock);
  const session = createGateSession(retried, gateClock);
  return { patientGate: gateThatRenews(retried, session), session };
}

function webhooksOf({ ledger, webhookSender: sender, clock, idSource }: EngineParts): WebhookOperations | null {
  const { webhooks, outbox } = ledger;
  return sender ? createWebhookOperations({ webhooks, outbox, sender, clock, idSource }) : null;
}

function nullWhenDown(error: unknown): null {
  if (error instanceof Fault && error.retryable) return null;
  throw error;
}
