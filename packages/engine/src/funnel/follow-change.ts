/**
 * What follows when an order has changed in the ledger: whoever watches it hears of it, and units that became nobody's go
 * back to the gate. The change is made; what cannot be delivered now stays in transit for the keeper.
 */
import { Fault } from '../domain/fault.ts';
import type { Release } from '../domain/ledger/release.ts';
import type { Order } from '../domain/order/order.ts';
import { type DeliverDeps, deliverRelease } from '../inventory/deliver.ts';
import type { OrderFeed } from '../ports/order-feed.ts';

export interface FollowDeps extends DeliverDeps {
  readonly feed: OrderFeed;
  /** Told of every fault that will be tried again. */
  readonly onFault: (fault: Fault) => void;
}

export async function followChange(
  deps: FollowDeps,
  orders: readonly Order[],
  releases: readonly Release[],
): Promise<void> {
  deps.feed.publish(orders);
  try {
    for (const release of releases) await deliverRelease(deps, release);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    deps.onFault(error);
  }
}
