/**
 * Settlement: a group of claims becomes orders. Decisions only: the caller reads, in one transaction and with the rows
 * locked, all that the group touches, asks here, and applies the changes in that same transaction, all of them or none.
 *
 * Laws: one order per order id; held + sold + quarantined <= allotted per quota; units per buyer <= limit, over all sales of
 * a group; the same claim twice changes nothing; a claim that does not become an order gives its units back, unless it is stale (the load of the
 * newer epoch never took them).
 */
import type { RefusalCause } from '@sluice/contract/codes';
import { Fault } from '../fault.ts';
import type { BuyerId, OrderId, SaleId } from '../ids.ts';
import { invariant } from '../invariant.ts';
import { type Quota, quotaName, segmentName, unorderedUnits } from '../inventory/quota.ts';
import { type Claim, claimId, isSameOrigin, quotaOf, segmentOf } from '../order/claim.ts';
import { awaitsLateMoney, type Order } from '../order/order.ts';
import type { Payment } from '../order/payment.ts';
import { limitScopeOf } from '../sale/limit-scope.ts';
import { amountDueOf, type Offer } from '../sale/offer.ts';
import { isWithinLimit } from '../sale/purchase-limit.ts';
import type { Sale } from '../sale/sale.ts';
import {
  addOrder,
  addRelease,
  buyerKey,
  changeOrder,
  type LedgerChanges,
  markSettledThrough,
  noChanges,
  putCharge,
  putPayment,
  reviveOrder,
} from './changes.ts';
import { applyParked, type OpenMoney, settleRefunds } from './decide-payment.ts';
import { isStale, type SegmentRecord } from './epoch.ts';
import { type Release, wayBackOf } from './release.ts';

/** What the ledger holds of everything that a group of claims touches. */
export interface SettlementView {
  readonly nowMs: number;
  readonly sales: ReadonlyMap<SaleId, Sale>;
  /** By segment name. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
  /** By quota name. */
  readonly quotas: ReadonlyMap<string, Quota>;
  /** Units in live orders, by buyer key. */
  readonly buyerUnits: ReadonlyMap<string, number>;
  /** Orders that exist under the order ids of the group. */
  readonly orders: ReadonlyMap<OrderId, Order>;
  /** Claims of the group that were released or quarantined before, by claim id. */
  readonly closedClaims: ReadonlySet<string>;
  /** Payments of the group's orders that are parked or reclaiming, oldest first. */
  readonly openPayments: ReadonlyMap<OrderId, readonly Payment[]>;
  /** Who wished to cancel an order of the group before it was settled; null: the operator. */
  readonly parkedCancels: ReadonlyMap<OrderId, BuyerId | null>;
}

export type SettlementOutcome =
  /** A new order. When something was parked for it, it has ended or is paid already, and its units may be on their way back. */
  | { readonly kind: 'settled'; readonly claim: Claim; readonly order: Order; readonly release: Release | null }
  /** Late money took the claim's units for an order that had ended; a refund may wait for it, and end it again. */
  | { readonly kind: 'revived'; readonly claim: Claim; readonly order: Order; readonly release: Release | null }
  /** The ledger had this claim already; nothing changed. */
  | { readonly kind: 'repeated'; readonly claim: Claim; readonly order: Order | null }
  /** The order exists from another claim; this claim's units go back by the release, unless it is stale. */
  | { readonly kind: 'second_claim'; readonly claim: Claim; readonly order: Order; readonly release: Release | null }
  /** A new order that was refused; likewise. */
  | { readonly kind: 'refused'; readonly claim: Claim; readonly order: Order; readonly release: Release | null };

export interface SettlementPlan {
  /** One for each claim, in the order given. */
  readonly outcomes: readonly SettlementOutcome[];
  readonly changes: LedgerChanges;
}

/** `forced`: why a person ends these claims, whatever the ledger would say of them. */
export function decideSettlement(
  view: SettlementView,
  group: readonly Claim[],
  forced: RefusalCause | null = null,
): SettlementPlan {
  const draft: Draft = {
    ...{ view, forced },
    changes: noChanges(),
    orders: new Map(view.orders),
    closedClaims: new Set(view.closedClaims),
  };
  const outcomes = group.map((claim) => settleOne(draft, claim));
  return { outcomes, changes: draft.changes };
}

/** The changes as they grow, with the running values that later claims of the same group must see. */
interface Draft {
  readonly view: SettlementView;
  readonly forced: RefusalCause | null;
  readonly changes: LedgerChanges;
  readonly orders: Map<OrderId, Order>;
  readonly closedClaims: Set<string>;
}

function settleOne(draft: Draft, claim: Claim): SettlementOutcome {
  const existing = draft.orders.get(claim.orderId);
  // The same origin first: a redelivery must never look like a second claim (P11).
  if (existing && isSameOrigin(existing.origin, claim.origin)) return { kind: 'repeated', claim, order: existing };
  if (draft.closedClaims.size > 0 && draft.closedClaims.has(claimId(claim)))
    return { kind: 'repeated', claim, order: existing ?? null };

  const segment = draft.view.segments.get(segmentName(segmentOf(claim)));
  // Of another deployment, or of a ledger that is no more: it is put aside, and holds up no other.
  if (!segment) throw new Fault('ledger_constraint', `The ledger has no segment ${segmentName(segmentOf(claim))}.`);
  const stale = isStale(claim.origin, segment);
  // Of an epoch that the ledger never opened it would ring the alarm of a rolled-back gate for ever.
  if (!stale) markSettledThrough(draft.changes, claim);
  if (existing) return settleAgain(draft, claim, existing, stale ? null : segment.epoch);

  const refusal = draft.forced ?? (stale ? 'stale_epoch' : refusalOf(draft, claim));
  if (refusal === null) return accept(draft, claim, segment.epoch);
  const { nowMs } = draft.view;
  const limitScope = limitScopeOf(saleOf(draft, claim));
  const refused = addOrder(draft.changes, claim, { state: 'refused', refusal, nowMs, dueAtMs: null, limitScope });
  // Money that came before it is due back.
  const order = applyParked(draft.changes, refused, openMoney(draft, claim, segment.epoch), null);
  draft.orders.set(order.orderId, order);
  return { kind: 'refused', claim, order, release: stale ? null : giveBack(draft, claim, segment.epoch) };
}

/** `epoch` is null for a stale claim. */
function settleAgain(draft: Draft, claim: Claim, existing: Order, epoch: number | null): SettlementOutcome {
  const late = awaitsLateMoney(existing.state)
    ? draft.view.openPayments.get(claim.orderId)?.find((payment) => payment.state === 'reclaiming')
    : undefined;
  if (late && epoch !== null && draft.forced === null && refusalOf(draft, claim) === null) {
    const money = openMoney(draft, claim, epoch);
    const revived = reviveOrder(draft.changes, existing, claim, { ...money, payment: late });
    const applied: Payment = { ...late, state: 'applied' };
    putPayment(draft.changes, applied);
    const order = settleRefunds(draft.changes, money, revived, applied);
    draft.orders.set(order.orderId, order);
    return { kind: 'revived', claim, order, release: releaseOf(draft, claim) };
  }
  const release = epoch === null ? null : giveBack(draft, claim, epoch);
  return { kind: 'second_claim', claim, order: existing, release };
}

function refusalOf(draft: Draft, claim: Claim): RefusalCause | null {
  const { view, changes } = draft;
  const sale = saleOf(draft, claim);
  if (sale.state === 'settled') return 'sale_ended';

  const key = buyerKey(limitScopeOf(sale), claim.buyerId);
  const takenUnits = (view.buyerUnits.get(key) ?? 0) + (changes.buyerDeltas.get(key)?.units ?? 0);
  if (!isWithinLimit(takenUnits, claim.units, sale.limitUnits)) return 'over_limit';

  return leftUnits(draft, claim) < claim.units ? 'no_units' : null;
}

function saleOf({ view }: Draft, { saleId }: Claim): Sale {
  const sale = view.sales.get(saleId);
  invariant(sale, `sale ${saleId} of a claim is in the ledger`);
  return sale;
}

/** Of the claim's quota, as the claims before it have left it. */
function leftUnits({ view, changes }: Draft, claim: Claim): number {
  const name = quotaName(quotaOf(claim));
  const quota = view.quotas.get(name);
  const delta = changes.quotaDeltas.get(name);
  if (!quota) return 0;
  return unorderedUnits(quota) + (delta ? delta.allottedUnits - delta.heldUnits - delta.soldUnits : 0);
}

function accept(draft: Draft, claim: Claim, epoch: number): SettlementOutcome {
  const { view, changes } = draft;
  const sale = saleOf(draft, claim);
  const { nowMs } = view;
  // A gift that its buyer has cancelled already is never given.
  const isPaid = sale.offer.kind === 'gift_pack' && !isCancelled(draft, claim);
  const settled = addOrder(changes, claim, {
    state: isPaid ? 'paid' : 'pending',
    refusal: null,
    nowMs,
    dueAtMs: isPaid ? null : nowMs + sale.holdMs,
    limitScope: limitScopeOf(sale),
  });
  const order = applyWhatWasParked(draft, settled, { epoch, offer: sale.offer });
  if (order.state === 'pending' && sale.offer.kind === 'exchange') {
    const points = sale.offer.price.points * order.units;
    putCharge(changes, { orderId: order.orderId, points, state: 'open' });
  }
  draft.orders.set(order.orderId, order);
  return { kind: 'settled', claim, order, release: releaseOf(draft, claim) };
}

/** Anybody may have named the order; only its buyer and the operator may end it. */
function isCancelled({ view }: Draft, { orderId, buyerId }: Claim): boolean {
  const canceller = view.parkedCancels.get(orderId);
  return canceller === null || canceller === buyerId;
}

function releaseOf({ changes }: Draft, claim: Claim): Release | null {
  if (changes.newReleases.length === 0) return null;
  const id = claimId(claim);
  return changes.newReleases.find((row) => row.id === id) ?? null;
}

function openMoney(draft: Draft, claim: Claim, epoch: number): OpenMoney {
  const { openPayments, nowMs } = draft.view;
  const sale = saleOf(draft, claim);
  const open = openPayments.get(claim.orderId) ?? [];
  return { open, nowMs, epoch, saleState: sale.state, limitScope: limitScopeOf(sale) };
}

/** What came before the order existed takes effect now: a cancel first, for money that follows it is late money. */
function applyWhatWasParked(
  draft: Draft,
  order: Order,
  { epoch, offer }: { readonly epoch: number; readonly offer: Offer },
): Order {
  const { changes, view } = draft;
  if (!view.openPayments.has(order.orderId) && !view.parkedCancels.has(order.orderId)) return order;
  const facts = openMoney(draft, order, epoch);
  const current = isCancelled(draft, order) ? changeOrder(changes, order, 'cancelled', facts) : order;
  return applyParked(changes, current, facts, amountDueOf(offer, order.units));
}

/** Null: in a settled sale nothing moves any more, whatever a gate may still have. */
function giveBack(draft: Draft, claim: Claim, epoch: number): Release | null {
  const wayBack = wayBackOf(saleOf(draft, claim).state);
  if (wayBack === 'paper') return null;
  // What a gate took too much is not the ledger's to free: it goes where it came from.
  const destination = leftUnits(draft, claim) < claim.units ? 'quota' : wayBack;
  const release = addRelease(draft.changes, claim, { epoch, destination });
  draft.closedClaims.add(release.id);
  return release;
}
