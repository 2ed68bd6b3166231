/** The rows of the memory ledger. They are replaced, never changed: what was read stays what it was. */
import type { BuyerId, OrderId, SaleId } from '../../domain/ids.ts';
import type { Centre } from '../../domain/inventory/centre.ts';
import type { Withdrawal } from '../../domain/inventory/decide-withdrawal.ts';
import type { Move, ReturnMove } from '../../domain/inventory/move.ts';
import { type Quota, type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import type { OrderChange } from '../../domain/ledger/changes.ts';
import type { Entry } from '../../domain/ledger/entry.ts';
import type { SegmentRecord } from '../../domain/ledger/epoch.ts';
import type { Release } from '../../domain/ledger/release.ts';
import type { Charge } from '../../domain/order/charge.ts';
import { type Claim, claimId, segmentOf } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import type { OrderEvent } from '../../domain/order/order-event.ts';
import type { Payment } from '../../domain/order/payment.ts';
import type { StoredEvent } from '../../domain/outbox/outbox-event.ts';
import type { WebhookEndpoint } from '../../domain/outbox/webhook-endpoint.ts';
import type { SaleCondition } from '../../domain/sale/decide-notice.ts';
import type { LimitScope, LimitScopeTerms } from '../../domain/sale/limit-scope.ts';
import type { Sale } from '../../domain/sale/sale.ts';
import type { SaleEvent } from '../../domain/sale/sale-event.ts';
import type { UnreadEntry } from '../../ports/queue.ts';

export interface SaleRow {
  readonly sale: Sale;
  readonly centre: Centre;
  readonly generation: number;
  /** Conditions that were told and have not ended since. */
  readonly told: Readonly<Record<SaleCondition, boolean>>;
}

export interface BuyerRow {
  readonly limitScope: LimitScope;
  readonly buyerId: BuyerId;
  readonly units: number;
  /** Copied from the scope, so that one row can be judged alone. */
  readonly limitUnits: number;
}

export interface QuarantineRow {
  readonly claim: Claim;
  readonly units: number;
  readonly reason: string;
}

export interface DeliveryRow {
  readonly id: number;
  readonly endpointId: string;
  readonly subject: string;
  readonly stored: StoredEvent;
  readonly createdAtMs: number;
  readonly state: 'pending' | 'dead';
  readonly failures: number;
  readonly nextAtMs: number;
  readonly claimId: string | null;
  readonly error: string | null;
}

export interface Rows {
  readonly sales: Map<SaleId, SaleRow>;
  readonly limitScopes: Map<LimitScope, LimitScopeTerms>;
  /** By segment name. */
  readonly segments: Map<string, SegmentRecord>;
  /** By quota name. */
  readonly quotas: Map<string, Quota>;
  /** By buyer key. */
  readonly buyers: Map<string, BuyerRow>;
  readonly orders: Map<OrderId, Order>;
  /** By segment name, in the order they were settled. */
  readonly orderIdsOfSegment: Map<string, Set<OrderId>>;
  /** Of the orders, those that wait for money. */
  readonly pendingOrders: Map<OrderId, Order>;
  /** By segment name and position: two orders never share one. */
  readonly orderIdsByPosition: Map<string, OrderId>;
  readonly moves: Map<string, Move>;
  readonly openMoves: Map<string, Move>;
  readonly returns: Map<string, ReturnMove>;
  readonly openReturns: Map<string, ReturnMove>;
  /** By attempt. */
  readonly withdrawals: Map<string, Withdrawal>;
  readonly releases: Map<string, Release>;
  readonly openReleases: Map<string, Release>;
  /** By claim id. */
  readonly quarantine: Map<string, QuarantineRow>;
  /** Entries of a queue that nobody can read, by their id. */
  readonly unread: Map<string, UnreadEntry>;
  /** Units received, by sale and delivery id. */
  readonly stockDeliveries: Map<string, number>;
  readonly journal: Map<SaleId, Entry[]>;
  readonly events: Map<OrderId, OrderEvent[]>;
  /** By payment key. */
  readonly payments: Map<string, Payment>;
  /** The payments by order and payment key, oldest first. */
  readonly orderPayments: Map<OrderId, Map<string, Payment>>;
  /** Of these, the ones that look for units. */
  readonly reclaiming: Map<string, Payment>;
  readonly charges: Map<OrderId, Charge>;
  /** Of these, the ones that are open or due back. */
  readonly openCharges: Map<OrderId, Charge>;
  /** Who wished to cancel an order that is not settled; null: the operator. */
  readonly parkedCancels: Map<OrderId, BuyerId | null>;
  /** Events that were not handed out yet, by their numbers. */
  readonly waitingEvents: Map<number, StoredEvent>;
  /** By their numbers, in the order of their events. */
  readonly deliveries: Map<number, DeliveryRow>;
  readonly endpoints: Map<string, WebhookEndpoint>;
  readonly lastNumbers: { event: number; delivery: number };
}

export function emptyRows(): Rows {
  return {
    sales: new Map(),
    limitScopes: new Map(),
    segments: new Map(),
    quotas: new Map(),
    buyers: new Map(),
    orders: new Map(),
    orderIdsOfSegment: new Map(),
    pendingOrders: new Map(),
    orderIdsByPosition: new Map(),
    moves: new Map(),
    openMoves: new Map(),
    returns: new Map(),
    openReturns: new Map(),
    withdrawals: new Map(),
    releases: new Map(),
    openReleases: new Map(),
    quarantine: new Map(),
    unread: new Map(),
    stockDeliveries: new Map(),
    journal: new Map(),
    events: new Map(),
    payments: new Map(),
    orderPayments: new Map(),
    reclaiming: new Map(),
    charges: new Map(),
    openCharges: new Map(),
    parkedCancels: new Map(),
    waitingEvents: new Map(),
    deliveries: new Map(),
    endpoints: new Map(),
    lastNumbers: { event: 0, delivery: 0 },
  };
}

/** Rows to put in place of those of the same key, rows to add, and ids to close. */
export interface Changes {
  readonly sales?: readonly SaleRow[];
  readonly limitScopes?: readonly (readonly [LimitScope, LimitScopeTerms])[];
  readonly segments?: readonly SegmentRecord[];
  readonly quotas?: readonly Quota[];
  readonly buyers?: readonly BuyerRow[];
  readonly newOrders?: readonly Order[];
  /** In the order they happen; one order may change twice. */
  readonly changedOrders?: readonly OrderChange[];
  readonly newMoves?: readonly Move[];
  readonly closedMoves?: readonly Move[];
  readonly newReturns?: readonly ReturnMove[];
  readonly closedReturns?: readonly ReturnMove[];
  /** New ones, and in place of those of the same attempt. */
  readonly withdrawals?: readonly Withdrawal[];
  readonly newReleases?: readonly Release[];
  readonly closedReleases?: readonly Release[];
  readonly newQuarantine?: readonly QuarantineRow[];
  /** Claim ids. */
  readonly closedQuarantine?: readonly string[];
  readonly deliveries?: readonly (readonly [string, number])[];
  readonly entries?: readonly Entry[];
  readonly events?: readonly OrderEvent[];
  readonly saleEvents?: readonly SaleEvent[];
  readonly payments?: readonly Payment[];
  readonly charges?: readonly Charge[];
  readonly parkedCancels?: readonly (readonly [OrderId, BuyerId | null])[];
}

export function positionName(order: Order): string {
  return `${segmentName(segmentOf(order))}/${order.origin.epoch}-${order.origin.seq}`;
}

/** Whether the ledger has a claim as an order of the same origin, a release, or in quarantine. */
export function isKnownClaim(rows: Rows, claim: Claim): boolean {
  const id = claimId(claim);
  const order = rows.orders.get(claim.orderId);
  return (order !== undefined && claimId(order) === id) || isClosedClaim(rows, id);
}

export function isClosedClaim(rows: Rows, id: string): boolean {
  return rows.releases.has(id) || rows.quarantine.has(id);
}

export function isOfSegment(key: SegmentKey, segment: SegmentKey): boolean {
  return segmentName(key) === segmentName(segment);
}

export function ordersOfSegment(rows: Rows, segment: SegmentKey): readonly Order[] {
  const ids = rows.orderIdsOfSegment.get(segmentName(segment)) ?? [];
  return [...ids].map((id) => rows.orders.get(id)).filter((order) => order !== undefined);
}

export function deliveryKey(saleId: SaleId, id: string): string {
  return JSON.stringify([saleId, id]);
}
