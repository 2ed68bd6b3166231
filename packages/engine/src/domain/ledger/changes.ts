/**
 * What a decision wants written: rows to add, orders to change and deltas to apply, all of them in one transaction or none.
 * Every decision about orders ends in this one form, so a store needs to know how to apply it, and nothing of why.
 */
import type { RefusalCause } from '@sluice/contract/codes';
import type { BuyerId, OrderId } from '../ids.ts';
import { invariant } from '../invariant.ts';
import { type QuotaKey, quotaName, segmentName } from '../inventory/quota.ts';
import { type Charge, isWalletReference } from '../order/charge.ts';
import { type Claim, claimId, comparePositions, type Position, quotaOf, segmentOf } from '../order/claim.ts';
import { canBecome, isLive, type Order, type OrderState, placeOfOrder } from '../order/order.ts';
import type { OrderEvent, OrderEventType } from '../order/order-event.ts';
import type { Payment, PaymentNotice } from '../order/payment.ts';
import type { LimitScope } from '../sale/limit-scope.ts';
import type { SaleState } from '../sale/sale.ts';
import type { Entry } from './entry.ts';
import { type Release, type ReleaseDestination, wayBackOf } from './release.ts';

export interface QuotaDelta {
  readonly quota: QuotaKey;
  heldUnits: number;
  soldUnits: number;
  /** Below zero: units that became the centre's; the sale's free and allotted follow. */
  allottedUnits: number;
}

export interface BuyerDelta {
  readonly limitScope: LimitScope;
  readonly buyerId: BuyerId;
  units: number;
}

export interface OrderChange {
  /** Compare-and-set: the row must still be in this state and of this origin. */
  readonly before: Order;
  readonly after: Order;
}

export interface LedgerChanges {
  readonly newOrders: Order[];
  /** In the order they happen; one order may change twice. */
  readonly changedOrders: OrderChange[];
  readonly newReleases: Release[];
  /** By quota name. */
  readonly quotaDeltas: Map<string, QuotaDelta>;
  /** By buyer key. */
  readonly buyerDeltas: Map<string, BuyerDelta>;
  /** By segment name: the highest position met. */
  readonly settledThrough: Map<string, Position>;
  readonly entries: Entry[];
  readonly events: OrderEvent[];
  /** Payments as they are now, by payment key; new ones and changed ones. */
  readonly payments: Map<string, Payment>;
  /** Charges as they are now; new ones and changed ones. */
  readonly charges: Map<OrderId, Charge>;
}

// No scope has a space.
export function buyerKey(limitScope: LimitScope, buyerId: BuyerId): string {
  return `${limitScope} ${buyerId}`;
}

export function paymentKey({ reference, outcome }: Pick<Payment, 'reference' | 'outcome'>): string {
  return JSON.stringify([reference, outcome]);
}

export function noChanges(): LedgerChanges {
  return {
    newOrders: [],
    changedOrders: [],
    newReleases: [],
    quotaDeltas: new Map(),
    buyerDeltas: new Map(),
    settledThrough: new Map(),
    entries: [],
    events: [],
    payments: new Map(),
    charges: new Map(),
  };
}

/** The row that a claim becomes; what it holds follows from its state. */
export function addOrder(
  changes: LedgerChanges,
  claim: Claim,
  facts: {
    readonly state: OrderState;
    readonly refusal: RefusalCause | null;
    readonly nowMs: number;
    readonly dueAtMs: number | null;
    readonly limitScope: LimitScope;
  },
): Order {
  const { orderId, saleId, buyerId, units, origin } = claim;
  const { state, refusal, nowMs, dueAtMs, limitScope } = facts;
  const order: Order = { orderId, saleId, buyerId, units, origin, state, refusal, settledAtMs: nowMs, dueAtMs };
  changes.newOrders.push(order);
  moveUnits(changes, order, { from: 'atGate', to: accountOf(state), limitScope });
  tell(changes, order, state === 'refused' ? 'order.refused' : 'order.settled', { nowMs });
  if (state === 'paid') tell(changes, order, 'order.paid', { nowMs });
  return order;
}

/** What an order's change must know of its surroundings. */
export interface EndFacts {
  readonly nowMs: number;
  /** Of the order's segment. */
  readonly epoch: number;
  /** Of its sale. */
  readonly saleState: SaleState;
  readonly limitScope: LimitScope;
  /** The money that changes it, for the event. */
  readonly payment?: ToldPayment;
}

export type ToldPayment = Pick<PaymentNotice, 'reference' | 'amount'>;

/** Takes an order along one edge. Units that become nobody's leave by a release, written here and now (P18). */
export function changeOrder(changes: LedgerChanges, order: Order, to: OrderState, facts: EndFacts): Order {
  invariant(canBecome(order.state, to), `an order goes from ${order.state} to ${to}`);
  const after: Order = { ...order, state: to, dueAtMs: to === 'pending' ? order.dueAtMs : null };
  changes.changedOrders.push({ before: order, after });
  const from = accountOf(order.state);
  const { limitScope } = facts;
  const isFreed = from !== null && !isLive(to) && !keepsUnits(order.state, to);
  if (isFreed) {
    const wayBack = wayBackOf(facts.saleState);
    moveUnits(changes, order, { from, to: wayBack === 'quota' ? 'inTransit' : 'free', limitScope });
    if (wayBack !== 'paper') addReleaseRow(changes, order, { epoch: facts.epoch, destination: wayBack });
  } else if (from !== null && accountOf(to) !== null) {
    moveUnits(changes, order, { from, to: accountOf(to), limitScope });
  }
  const event = EVENT_OF_STATE[to];
  if (event) tell(changes, after, event, facts);
  return after;
}

/** A claim that became no order's gives its units back. */
export function addRelease(changes: LedgerChanges, claim: Claim, way: WayBack): Release {
  const to = way.destination === 'quota' ? 'inTransit' : 'free';
  changes.entries.push(entryOf(claim, { from: 'atGate', to, cause: 'release', causeId: claimId(claim) }));
  if (to === 'free') quotaDelta(changes, quotaOf(claim)).allottedUnits -= claim.units;
  return addReleaseRow(changes, claim, way);
}

/** An ended order takes the units of a new claim: its origin is that claim's from here on. */
export function reviveOrder(
  changes: LedgerChanges,
  order: Order,
  claim: Claim,
  facts: Pick<EndFacts, 'nowMs' | 'limitScope' | 'payment'>,
): Order {
  const after: Order = { ...order, state: 'paid', origin: claim.origin, dueAtMs: null };
  changes.changedOrders.push({ before: order, after });
  moveUnits(changes, after, { from: 'atGate', to: 'sold', limitScope: facts.limitScope });
  tell(changes, after, 'order.paid', facts);
  return after;
}

export function markSettledThrough(changes: LedgerChanges, claim: Claim): void {
  const name = segmentName(segmentOf(claim));
  const highest = changes.settledThrough.get(name);
  if (highest && comparePositions(claim.origin, highest) <= 0) return;
  changes.settledThrough.set(name, { epoch: claim.origin.epoch, seq: claim.origin.seq });
}

/** What becomes of a wallet's payment becomes of its charge. */
export function putPayment(changes: LedgerChanges, payment: Payment): void {
  changes.payments.set(paymentKey(payment), payment);
  const { orderId, reference, outcome, amount, state } = payment;
  if (!isWalletReference(reference)) return;
  if (outcome === 'refunded') putCharge(changes, { orderId, points: amount ?? 0, state: 'closed' });
  else putCharge(changes, { orderId, points: amount ?? 0, state: state === 'refund_due' ? 'due_back' : 'taken' });
}

export function putCharge(changes: LedgerChanges, charge: Charge): void {
  changes.charges.set(charge.orderId, charge);
}

export function tell(
  changes: LedgerChanges,
  order: Order,
  type: OrderEventType,
  { nowMs, payment }: Pick<EndFacts, 'nowMs' | 'payment'>,
): void {
  const { orderId, saleId, buyerId, units, state } = order;
  const { reference = null, amount = null } = payment ?? {};
  changes.events.push({ type, orderId, saleId, buyerId, units, state, atMs: nowMs, reference, amount });
}

const EVENT_OF_STATE: Readonly<Partial<Record<OrderState, OrderEventType>>> = {
  paid: 'order.paid',
  fulfilled: 'order.fulfilled',
  cancelled: 'order.cancelled',
  expired: 'order.expired',
  paid_unfulfilled: 'order.refund_due',
  refunded: 'order.refunded',
};

/** What was delivered stays sold when the money goes back. */
function keepsUnits(from: OrderState, to: OrderState): boolean {
  return from === 'fulfilled' && to === 'refunded';
}

function accountOf(state: OrderState): 'held' | 'sold' | null {
  const place = placeOfOrder(state);
  return place === 'held' || place === 'sold' ? place : null;
}

interface OrderMovement {
  readonly from: 'atGate' | 'held' | 'sold';
  readonly to: 'held' | 'sold' | 'inTransit' | 'free' | null;
  readonly limitScope: LimitScope;
}

/** Moves an order's units between accounts, and with them what its quota and its buyer have. */
function moveUnits(changes: LedgerChanges, order: Order, { from, to, limitScope }: OrderMovement): void {
  if (to === null || from === to) return;
  changes.entries.push(entryOf(order, { from, to, cause: 'order', causeId: order.orderId }));
  const delta = quotaDelta(changes, quotaOf(order));
  if (from === 'held') delta.heldUnits -= order.units;
  if (from === 'sold') delta.soldUnits -= order.units;
  if (to === 'held') delta.heldUnits += order.units;
  if (to === 'sold') delta.soldUnits += order.units;
  const { buyerId } = order;
  if (from === 'atGate') addToBuyer(changes, { limitScope, buyerId, units: order.units });
  if (to === 'free') delta.allottedUnits -= order.units;
  if (to === 'inTransit' || to === 'free') addToBuyer(changes, { limitScope, buyerId, units: -order.units });
}

function quotaDelta(changes: LedgerChanges, quota: QuotaKey): QuotaDelta {
  const name = quotaName(quota);
  const delta = changes.quotaDeltas.get(name) ?? { quota, heldUnits: 0, soldUnits: 0, allottedUnits: 0 };
  changes.quotaDeltas.set(name, delta);
  return delta;
}

function addToBuyer(changes: LedgerChanges, { limitScope, buyerId, units }: BuyerDelta): void {
  const key = buyerKey(limitScope, buyerId);
  const delta = changes.buyerDeltas.get(key) ?? { limitScope, buyerId, units: 0 };
  delta.units += units;
  changes.buyerDeltas.set(key, delta);
}

interface WayBack {
  readonly epoch: number;
  readonly destination: ReleaseDestination;
}

function addReleaseRow(changes: LedgerChanges, claim: Claim, { epoch, destination }: WayBack): Release {
  const { orderId, saleId, buyerId, units, origin } = claim;
  const release: Release = { orderId, saleId, buyerId, units, origin, id: claimId(claim), epoch, destination };
  changes.newReleases.push(release);
  return release;
}

function entryOf(claim: Claim, movement: Pick<Entry, 'from' | 'to' | 'cause' | 'causeId'>): Entry {
  const { from, to, cause, causeId } = movement;
  return { saleId: claim.saleId, quota: quotaOf(claim), units: claim.units, from, to, cause, causeId };
}
