/**
 * Rebuilds a segment's gate from the ledger and its queue, under a new epoch. The order of the steps is what makes it safe
 * (P7): read the queue, and what the gate lost of it (P14), then one transaction in the ledger, then load. A load that is refused is not sent again with other
 * figures; another rebuild opens another epoch (P8).
 */
import { planLoad } from '../domain/gate/plan-load.ts';
import type { SegmentRecord } from '../domain/ledger/epoch.ts';
import { BEFORE_ALL, type Claim, claimId, comparePositions, type Position } from '../domain/order/claim.ts';
import type { Gate } from '../ports/gate.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import type { Queue } from '../ports/queue.ts';
import { allStrays } from './bring-back-strays.ts';
import type { GateSession } from './gate-session.ts';
import type { LoadWatch } from './load-watch.ts';

export interface RebuildDeps {
  readonly gate: Gate;
  readonly queue: Queue;
  readonly session: GateSession;
  readonly inventoryCentre: InventoryCentre;
  /** Where other processes may load the same gate. */
  readonly loadWatch?: LoadWatch;
}

/** False when somebody else was faster or the server changed meanwhile: look again. */
export async function rebuildSegment(deps: RebuildDeps, segment: SegmentRecord, gateEpoch = 0): Promise<boolean> {
  const call = await deps.session.call(segment);
  // The queue before the strays, so that the gate need not look each claim up in it; and behind them, since one that is queued
  // again meanwhile is in it.
  const before = new Map((await deps.queue.peek(segment)).map(({ claim }) => [claimId(claim), claim]));
  const strays = await allStrays(deps.gate, segment, new Set(before.keys()));
  const entries = (await deps.queue.peek(segment)).map((entry) => entry.claim);
  const inQueue = new Set(entries.map(claimId));
  const lost = [...before.values(), ...strays].filter((claim) => !inQueue.has(claimId(claim)));
  const queued = [...entries, ...lost];
  const opened = await deps.inventoryCentre.openEpoch({
    segment,
    ...{ fromEpoch: segment.epoch, gateEpoch },
    cutThrough: lastOf(queued),
    queued,
  });
  if (opened.kind !== 'opened') return false;
  const answer = await deps.gate.load(call, planLoad(opened.snapshot));
  deps.loadWatch?.ended(segment, opened.snapshot.epoch);
  if (answer !== 'loaded') return false;
  // What the ledger knew was not loaded as unsettled, and stays out.
  if (lost.length > 0) await deps.gate.requeue(call, lost);
  return true;
}

function lastOf(claims: readonly Claim[]): Position {
  let last: Position = BEFORE_ALL;
  for (const { origin } of claims) {
    if (comparePositions(origin, last) > 0) last = { epoch: origin.epoch, seq: origin.seq };
  }
  return last;
}
