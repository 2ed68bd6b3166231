/**
 * Late money: its order has ended and its unit may be sold on. The units are claimed again at the gate, under the same order
 * id; settlement then pays the order with them. It is driven from the ledger, by the payment's state, until one of the two
 * is true: the order is paid, or it is `paid_unfulfilled` and the money is due back (P16).
 */

import type { SegmentKey } from '../domain/inventory/quota.ts';
import { segmentOf } from '../domain/order/claim.ts';
import type { Order } from '../domain/order/order.ts';
import type { Payment } from '../domain/order/payment.ts';
import type { DryJudge } from '../inventory/judge-dry.ts';
import type { Orders } from '../ports/orders.ts';
import { type FollowDeps, followChange } from './follow-change.ts';
import type { BatchedOutcome, ClaimBatcher } from './gate/claim-batcher.ts';

export interface ReclaimDeps extends FollowDeps {
  readonly orders: Orders;
  readonly batcherOf: (segment: SegmentKey) => ClaimBatcher;
  readonly dryJudge: DryJudge;
}

/** One try; the sweeper tries again what is still open. */
export async function reclaimUnits(deps: ReclaimDeps, payment: Payment, order: Order): Promise<void> {
  const { orderId, buyerId, units, origin } = order;
  const batcher = deps.batcherOf(segmentOf(order));
  const outcome = await batcher.claim({ orderId, buyerId, units, channel: origin.channel, isForLateMoney: true });
  if (!(await isHopeless(deps, order, outcome))) return;
  await followChange(deps, [await deps.orders.giveUpReclaim(payment)], []);
}

/** Claimed: settlement does the rest. Unclear, or not ready: later. */
async function isHopeless(deps: ReclaimDeps, order: Order, outcome: BatchedOutcome): Promise<boolean> {
  switch (outcome.kind) {
    case 'claimed':
    case 'replayed':
    case 'busy':
    case 'unknown':
    case 'late':
    case 'not_ready':
    case 'paused':
    case 'not_started':
    case 'over':
      return false;
    case 'dry':
      return (await deps.dryJudge.judge(order.saleId)) !== 'units_left';
    case 'not_enough_left':
    case 'over_limit':
    case 'closed':
    case 'content_differs':
      return true;
  }
}
