/**
 * Settlement: a group of claims becomes orders. Decisions only: the caller reads, in one transaction and with the rows
 * locked, all that the group touches, asks here, and applies the plan in that same transaction, all of it or nothing.
 *
 * Laws: one order per order id; held + sold + quarantined <= allotted per quota; units per buyer <= limit; the same claim
 * twice changes nothing; a claim that does not become an order gives its units back, unless it is stale (the load of the
 * newer epoch never took them).
 */
import type { OrderState, RefusalCause } from '@sluice/contract/codes';
import type { BuyerId, SaleId } from '../ids.ts';
import { invariant } from '../invariant.ts';
import { type Quota, type QuotaKey, quotaName, segmentName, unorderedUnits } from '../inventory/quota.ts';
import {
  type Claim,
  claimId,
  comparePositions,
  isSameOrigin,
  type Position,
  quotaOf,
  segmentOf,
} from '../order/claim.ts';
import type { Order } from '../order/order.ts';
import { isWithinLimit } from '../sale/purchase-limit.ts';
import type { Sale } from '../sale/sale.ts';
import type { Entry } from './entry.ts';
import { isStale, type SegmentRecord } from './epoch.ts';
import type { Release } from './release.ts';

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
  readonly orders: ReadonlyMap<string, Order>;
  /** Claims of the group that were released or quarantined before, by claim id. */
  readonly closedClaims: ReadonlySet<string>;
}

export type SettlementOutcome =
  /** A new order. */
  | { readonly kind: 'settled'; readonly claim: Claim; readonly order: Order }
  /** The ledger had this claim already; nothing changed. */
  | { readonly kind: 'repeated'; readonly claim: Claim; readonly order: Order | null }
  /** The order exists from another claim; this claim's units go back by the release, unless it is stale. */
  | { readonly kind: 'second_claim'; readonly claim: Claim; readonly order: Order; readonly release: Release | null }
  /** A new order that was refused; likewise. */
  | { readonly kind: 'refused'; readonly claim: Claim; readonly order: Order; readonly release: Release | null };

/** What the transaction has to write. Deltas only. */
export interface SettlementPlan {
  /** One for each claim, in the order given. */
  readonly outcomes: readonly SettlementOutcome[];
  readonly newOrders: readonly Order[];
  readonly newReleases: readonly Release[];
  /** By quota name. */
  readonly heldDeltas: ReadonlyMap<string, { readonly quota: QuotaKey; readonly units: number }>;
  /** By buyer key. */
  readonly buyerDeltas: ReadonlyMap<
    string,
    { readonly saleId: SaleId; readonly buyerId: BuyerId; readonly units: number }
  >;
  /** By segment name: the highest position met. */
  readonly settledThrough: ReadonlyMap<string, Position>;
  readonly entries: readonly Entry[];
}

// JSON keeps the two apart whatever characters a buyer id holds.
export function buyerKey(saleId: SaleId, buyerId: BuyerId): string {
  return JSON.stringify([saleId, buyerId]);
}

export function decideSettlement(view: SettlementView, group: readonly Claim[]): SettlementPlan {
  const draft = openDraft(view);
  for (const claim of group) {
    const outcome = settleOne(draft, claim);
    draft.outcomes.push(outcome);
    const name = segmentName(segmentOf(claim));
    const highest = draft.settledThrough.get(name);
    if (!highest || comparePositions(claim.origin, highest) > 0) {
      draft.settledThrough.set(name, { epoch: claim.origin.epoch, seq: claim.origin.seq });
    }
  }
  return draft;
}

/** The plan as it grows, with the running values that later claims of the same group must see. */
interface Draft extends SettlementPlan {
  readonly view: SettlementView;
  readonly outcomes: SettlementOutcome[];
  readonly newOrders: Order[];
  readonly newReleases: Release[];
  readonly heldDeltas: Map<string, { readonly quota: QuotaKey; readonly units: number }>;
  readonly buyerDeltas: Map<string, { readonly saleId: SaleId; readonly buyerId: BuyerId; readonly units: number }>;
  readonly settledThrough: Map<string, Position>;
  readonly entries: Entry[];
  readonly orders: Map<string, Order>;
  readonly closedClaims: Set<string>;
}

function openDraft(view: SettlementView): Draft {
  return {
    view,
    outcomes: [],
    newOrders: [],
    newReleases: [],
    heldDeltas: new Map(),
    buyerDeltas: new Map(),
    settledThrough: new Map(),
    entries: [],
    orders: new Map(view.orders),
    closedClaims: new Set(view.closedClaims),
  };
}

function settleOne(draft: Draft, claim: Claim): SettlementOutcome {
  const existing = draft.orders.get(claim.orderId);
  // The same origin first: a redelivery must never look like a second claim (P11).
  if (existing && isSameOrigin(existing.origin, claim.origin)) return { kind: 'repeated', claim, order: existing };
  if (draft.closedClaims.has(claimId(claim))) return { kind: 'repeated', claim, order: existing ?? null };

  const segment = draft.view.segments.get(segmentName(segmentOf(claim)));
  invariant(segment, `segment ${segmentName(segmentOf(claim))} of a claim is in the ledger`);
  const stale = isStale(claim.origin, segment);
  if (existing) {
    const release = stale ? null : addRelease(draft, claim, segment.epoch);
    return { kind: 'second_claim', claim, order: existing, release };
  }

  const refusal = stale ? 'stale_epoch' : refusalOf(draft, claim);
  if (refusal === null) return accept(draft, claim);
  const order = addOrder(draft, claim, 'refused', refusal);
  return { kind: 'refused', claim, order, release: stale ? null : addRelease(draft, claim, segment.epoch) };
}

function refusalOf(draft: Draft, claim: Claim): RefusalCause | null {
  const { view } = draft;
  const sale = view.sales.get(claim.saleId);
  invariant(sale, `sale ${claim.saleId} of a claim is in the ledger`);
  if (sale.state === 'settled') return 'sale_ended';

  const key = buyerKey(claim.saleId, claim.buyerId);
  const takenUnits = (view.buyerUnits.get(key) ?? 0) + (draft.buyerDeltas.get(key)?.units ?? 0);
  if (!isWithinLimit(takenUnits, claim.units, sale.limitUnits)) return 'over_limit';

  const name = quotaName(quotaOf(claim));
  const quota = view.quotas.get(name);
  const leftUnits = quota ? unorderedUnits(quota) - (draft.heldDeltas.get(name)?.units ?? 0) : 0;
  return leftUnits < claim.units ? 'no_units' : null;
}

function accept(draft: Draft, claim: Claim): SettlementOutcome {
  const quota = quotaOf(claim);
  const name = quotaName(quota);
  const key = buyerKey(claim.saleId, claim.buyerId);
  draft.heldDeltas.set(name, { quota, units: (draft.heldDeltas.get(name)?.units ?? 0) + claim.units });
  draft.buyerDeltas.set(key, {
    saleId: claim.saleId,
    buyerId: claim.buyerId,
    units: (draft.buyerDeltas.get(key)?.units ?? 0) + claim.units,
  });
  draft.entries.push({
    saleId: claim.saleId,
    quota,
    from: 'atGate',
    to: 'held',
    units: claim.units,
    cause: 'order',
    causeId: claim.orderId,
  });
  return { kind: 'settled', claim, order: addOrder(draft, claim, 'pending', null) };
}

function addOrder(draft: Draft, claim: Claim, state: OrderState, refusal: RefusalCause | null): Order {
  const holdMs = draft.view.sales.get(claim.saleId)?.holdMs ?? 0;
  const order: Order = {
    orderId: claim.orderId,
    saleId: claim.saleId,
    buyerId: claim.buyerId,
    units: claim.units,
    origin: claim.origin,
    state,
    refusal,
    settledAtMs: draft.view.nowMs,
    dueAtMs: state === 'pending' ? draft.view.nowMs + holdMs : null,
  };
  draft.newOrders.push(order);
  draft.orders.set(order.orderId, order);
  return order;
}

function addRelease(draft: Draft, claim: Claim, epoch: number): Release {
  const id = claimId(claim);
  const release = { ...claim, id, epoch };
  draft.closedClaims.add(id);
  draft.newReleases.push(release);
  draft.entries.push({
    saleId: claim.saleId,
    quota: quotaOf(claim),
    from: 'atGate',
    to: 'inTransit',
    units: claim.units,
    cause: 'release',
    causeId: id,
  });
  return release;
}
