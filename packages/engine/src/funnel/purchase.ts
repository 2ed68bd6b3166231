/**
 * The path of one purchase, request side, from top to bottom. It promises: the same token gets the same order, however
 * often and whenever it comes; a refusal leaves no trace; what was answered as accepted is in the ledger (or, when the
 * ledger is slow, `queued` and on its way there); what is unclear is told as `queued`, never as failed; while the ledger
 * does not settle, nothing is claimed.
 */

import type { Buyer } from '../domain/buyer.ts';
import { Fault } from '../domain/fault.ts';
import type { ClaimRefusal } from '../domain/gate/decide-claim.ts';
import type { OrderId, SaleId } from '../domain/ids.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';
import type { Claim } from '../domain/order/claim.ts';
import type { Order, OrderState } from '../domain/order/order.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Sale } from '../domain/sale/sale.ts';
import type { DryJudge } from '../inventory/judge-dry.ts';
import type { ClaimMarks } from '../ports/claim-marks.ts';
import type { Clock } from '../ports/clock.ts';
import type { Orders } from '../ports/orders.ts';
import type { Signer } from '../ports/signer.ts';
import type { BatchedOutcome, ClaimBatcher } from './gate/claim-batcher.ts';
import { writeReceipt } from './gate/receipt.ts';
import type { Intake } from './gateway/intake.ts';
import { type PurchaseToken, readToken, refuseToken, type TokenRefusal } from './gateway/purchase-token.ts';
import type { SegmentFinder } from './gateway/segment-finder.ts';
import type { KnownOrders } from './known-orders.ts';
import type { OrderWatch } from './queue/order-watch.ts';

export interface PurchaseDeps {
  readonly signer: Signer;
  readonly clock: Clock;
  readonly batcherOf: (segment: SegmentKey) => ClaimBatcher;
  readonly watch: OrderWatch;
  readonly orders: Orders;
  readonly dryJudge: DryJudge;
  readonly intake: Intake;
  readonly knownOrders: KnownOrders;
  readonly claimMarks: ClaimMarks;
  readonly segments: SegmentFinder;
  readonly sales: { get(saleId: SaleId): Promise<Sale | null> };
  /** A win is answered once it is claimed; without, once it is settled. */
  readonly answersQueued: boolean;
}

export interface PurchaseRequest {
  readonly saleId: SaleId;
  readonly buyer: Buyer;
  readonly token: string;
  /** A positive whole number. */
  readonly units: number;
}

export interface PurchaseAccepted {
  readonly kind: 'accepted';
  readonly orderId: OrderId;
  readonly status: OrderState;
  readonly units: number;
  readonly isReplayed: boolean;
  /** Proof that the gate took the claim; null when that is not known yet. */
  readonly receipt: string | null;
}

/** How long an answer waits for the ledger before it says `queued`. */
const SETTLEMENT_WAIT_MS = 5_000;

const COME_AGAIN_MS = 1_000;

export function purchase(deps: PurchaseDeps, request: PurchaseRequest): Promise<PurchaseAccepted | Refusal> {
  const shed = deps.intake.shed();
  return shed ? Promise.resolve(shed) : deps.intake.run(() => attempt(deps, request));
}

async function attempt(deps: PurchaseDeps, request: PurchaseRequest): Promise<PurchaseAccepted | Refusal> {
  const { saleId, buyer, units } = request;
  const token = readToken(deps.signer, request.token);
  if (!token) return refuse('token_invalid');
  const refusal = refuseToken(token, { saleId, buyerId: buyer.buyerId, nowMs: deps.clock.nowMs() });
  if (refusal && !(mayHaveWon(refusal, deps.claimMarks) && (await hasWon(deps, token)))) {
    return { kind: 'refused', ...refusal };
  }

  const { orderId, region, channel } = token;
  return purchaseAs(deps, { orderId, saleId, buyer: { buyerId: buyer.buyerId, region, channel }, units });
}

/**
 * A win is answered for ever: long after the sale, and by a clock that was stepped back. The crowd that comes before a start
 * may cost a look into this process, and no call to a gate elsewhere (G2).
 */
function mayHaveWon({ reason }: TokenRefusal, { isNear }: ClaimMarks): boolean {
  return reason === 'token_expired' || (reason === 'too_early' && isNear);
}

/** A gate that cannot be asked knows of no win. That of a settled sale may be gone for good, and the ledger has all there were. */
async function hasWon(deps: PurchaseDeps, token: PurchaseToken): Promise<boolean> {
  const { claimMarks, segments, knownOrders, sales } = deps;
  const { buyerId, orderId, saleId } = token;
  try {
    const segment = await segments.find(token);
    const marks = segment ? await claimMarks.ofBuyer(segment, buyerId) : [];
    if (marks.some((mark) => mark.orderId === orderId)) return true;
    if ((await sales.get(saleId))?.state !== 'settled') return false;
    return (await knownOrders.find(orderId)) !== null;
  } catch (error) {
    if (error instanceof Fault && error.retryable) return false;
    throw error;
  }
}

/** An order whose id is known, for a buyer who may have it. */
export interface NamedPurchase {
  readonly orderId: OrderId;
  readonly saleId: SaleId;
  readonly buyer: Buyer;
  readonly units: number;
}

/** From the claim on, however the order got its id. */
export async function purchaseAs(deps: PurchaseDeps, named: NamedPurchase): Promise<PurchaseAccepted | Refusal> {
  const { orderId, saleId, buyer, units } = named;
  const { buyerId, region, channel } = buyer;
  const hold = deps.intake.hold();
  if (hold) return (await replayOf(deps, orderId, units)) ?? hold;

  const segment = await deps.segments.find({ saleId, region, buyerId });
  if (!segment) return refuse('not_ready', { retryAfterMs: COME_AGAIN_MS });

  const wait = deps.watch.begin(orderId);
  try {
    const outcome = await deps.batcherOf(segment).claim({ orderId, buyerId, channel, units });
    if (outcome.kind === 'claimed') {
      const order = deps.answersQueued
        ? null
        : ((await wait.settled(SETTLEMENT_WAIT_MS)) ?? (await lookUp(deps.orders, orderId)));
      return accepted(deps.signer, order ?? outcome.claim, order?.state ?? 'queued', false);
    }
    if (outcome.kind === 'replayed') {
      const { mark } = outcome;
      // Looked up first: it may have been settled before this wait began, and its gate not be told yet.
      const order =
        mark.state === 'claimed'
          ? ((await lookUp(deps.orders, orderId)) ??
            (await wait.settled(SETTLEMENT_WAIT_MS)) ??
            (await lookUp(deps.orders, orderId)))
          : await deps.orders.find(orderId);
      // A lost gate may have been claimed at again meanwhile: then the order, not the mark, tells where it comes from.
      return accepted(deps.signer, order ?? { ...mark, saleId, buyerId }, order?.state ?? 'queued', true);
    }
    if (outcome.kind === 'unknown') {
      return { kind: 'accepted', orderId, status: 'queued', units, isReplayed: false, receipt: null };
    }
    // The gate of a settled sale may be gone for good.
    const isGone = outcome.kind === 'not_ready' && (await deps.sales.get(saleId))?.state === 'settled';
    if (isGone) return (await replayOf(deps, orderId, units)) ?? refuse('closed');
    return await refusalOf(deps, saleId, outcome);
  } finally {
    wait.end();
  }
}

/** The answer that an order in the ledger has had already; null when there is none that can be told. */
async function replayOf(
  { knownOrders, signer }: PurchaseDeps,
  orderId: OrderId,
  units: number,
): Promise<PurchaseAccepted | Refusal | null> {
  const order = await knownOrders.find(orderId);
  if (!order) return null;
  return order.units === units ? accepted(signer, order, order.state, true) : refuse('content_differs');
}

/** What the feed has not told is asked for: it is a hint only. A ledger that cannot be asked leaves the order `queued`. */
async function lookUp(orders: Orders, orderId: OrderId): Promise<Order | null> {
  try {
    return await orders.find(orderId);
  } catch (error) {
    if (error instanceof Fault && error.retryable) return null;
    throw error;
  }
}

function accepted(signer: Signer, claim: Claim, status: OrderState, isReplayed: boolean): PurchaseAccepted {
  const receipt = writeReceipt(signer, claim);
  return { kind: 'accepted', orderId: claim.orderId, status, units: claim.units, isReplayed, receipt };
}

async function refusalOf(
  deps: PurchaseDeps,
  saleId: SaleId,
  outcome: ClaimRefusal | Extract<BatchedOutcome, { kind: 'busy' }>,
): Promise<Refusal> {
  switch (outcome.kind) {
    case 'not_started':
      return refuse('not_started', { retryAtMs: outcome.startsAtMs });
    case 'over_limit':
      return refuse('over_limit', { liveOrderIds: outcome.liveOrderIds });
    case 'not_enough_left':
      return refuse('not_enough_left', { leftUnits: outcome.leftUnits });
    case 'dry': {
      const verdict = await deps.dryJudge.judge(saleId);
      return verdict === 'units_left' ? refuse('busy', { retryAfterMs: COME_AGAIN_MS }) : refuse(verdict);
    }
    case 'busy':
    case 'not_ready':
    case 'late':
      return refuse(outcome.kind, { retryAfterMs: COME_AGAIN_MS });
    case 'over':
    case 'paused':
    case 'closed':
    case 'content_differs':
      return refuse(outcome.kind);
  }
}
