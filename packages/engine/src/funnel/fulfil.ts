/**
 * The worker side, from top to bottom: read claims from the queue, settle them as a group, tell whoever waits, tell the
 * gate, give back what was refused, and only then remove the entries. An entry that was not removed is read again, and
 * settling it again changes nothing.
 */
import { type Fault, isGateFault } from '../domain/fault.ts';
import { type SegmentKey, segmentName } from '../domain/inventory/quota.ts';
import type { Release } from '../domain/ledger/release.ts';
import { type Claim, segmentOf } from '../domain/order/claim.ts';
import type { Order } from '../domain/order/order.ts';
import { type DeliverDeps, deliverRelease } from '../inventory/deliver.ts';
import type { LedgerWatch } from '../inventory/ledger-watch.ts';
import type { OrderFeed } from '../ports/order-feed.ts';
import type { Quarantine } from '../ports/quarantine.ts';
import type { Queue } from '../ports/queue.ts';
import type { Settlement } from '../ports/settlement.ts';
import { type GroupOutcome, settleGroup } from './ledger/settle-group.ts';

export interface FulfilDeps extends DeliverDeps {
  /** Who reads. Two workers of one name would each take the other's entries for their own. */
  readonly consumer: string;
  readonly queue: Queue;
  readonly settlement: Settlement;
  readonly quarantine: Pick<Quarantine, 'keep'>;
  readonly feed: OrderFeed;
  readonly ledgerWatch?: Pick<LedgerWatch, 'settled'>;
  /** Whose claims are read here; all when not given. */
  readonly isOurs?: (segment: SegmentKey) => boolean;
}

/** What telling of settled claims needs. */
export type TellDeps = DeliverDeps & Pick<FulfilDeps, 'queue' | 'feed'>;

export function readGroup(deps: FulfilDeps, max: number): Promise<readonly Claim[]> {
  return deps.queue.read(deps.consumer, max, deps.isOurs).then((entries) => entries.map((entry) => entry.claim));
}

/** What could not be read is kept by the ledger before the queue forgets it. */
export async function setAsideUnread({ queue, quarantine }: FulfilDeps): Promise<void> {
  const unread = await queue.unread();
  if (unread.length === 0) return;
  await quarantine.keep(unread);
  await queue.forget(unread);
}

/** Throws faults that are worth another try with the same claims; repeating any part of it is harmless. */
export async function fulfilGroup(deps: FulfilDeps, claims: readonly Claim[]): Promise<void> {
  const outcomes = await settleGroup(deps.settlement, claims);
  deps.ledgerWatch?.settled(outcomes.filter(hasOrder).map(({ claim }) => claim));
  await tellOutcomes(deps, outcomes);
}

/** What follows when claims were settled: watchers and gates hear of it, units go back, and the entries are removed. */
export async function tellOutcomes(deps: TellDeps, outcomes: readonly GroupOutcome[]): Promise<void> {
  deps.feed.publish(outcomes.map(orderOf).filter((order) => order !== null));
  const parts = bySegment(outcomes);
  const faults: Fault[] = [];
  for (const part of parts) {
    try {
      await tellGate(deps, part);
    } catch (error) {
      // A gate that is away keeps the others' claims from nothing: what it is to be told comes again with its entries.
      if (!isGateFault(error)) throw error;
      faults.push(error);
    }
  }
  if (faults[0] && faults.length === parts.length) throw faults[0];
}

type Part = readonly [GroupOutcome, ...GroupOutcome[]];

function bySegment(outcomes: readonly GroupOutcome[]): readonly Part[] {
  const parts = new Map<string, [GroupOutcome, ...GroupOutcome[]]>();
  for (const outcome of outcomes) {
    const name = segmentName(segmentOf(outcome.claim));
    const known = parts.get(name);
    if (known) known.push(outcome);
    else parts.set(name, [outcome]);
  }
  return [...parts.values()];
}

async function tellGate(deps: TellDeps, part: Part): Promise<void> {
  const segment = segmentOf(part[0].claim);
  // Refused claims are not marked: their release ends them. A gate that is not ready gets its marks from the rebuild.
  const settled = part.filter(({ kind }) => kind !== 'refused' && kind !== 'second_claim').map(({ claim }) => claim);
  if (settled.length > 0) await deps.gate.markSettled(await deps.session.call(segment), settled);
  for (const release of part.map(releaseOf)) {
    // One that is not taken now stays in transit; the keeper delivers it, or a rebuild absorbs it.
    if (release) await deliverRelease(deps, release);
  }
  await deps.queue.remove(part.map(({ claim }) => claim));
}

/** The claim is an order's, and nothing makes the ledger forget which. */
function hasOrder({ kind }: GroupOutcome): boolean {
  return kind === 'settled' || kind === 'revived';
}

function orderOf(outcome: GroupOutcome): Order | null {
  return outcome.kind === 'quarantined' ? null : outcome.order;
}

function releaseOf(outcome: GroupOutcome): Release | null {
  return 'release' in outcome ? outcome.release : null;
}
