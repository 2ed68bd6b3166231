/**
 * Delivers what is in transit to the gate, or fetches it from there, then tells the ledger. Both halves are harmless to repeat, so a lost answer or a
 * crash between them is mended by doing it again.
 */
import type { Move, ReturnMove } from '../domain/inventory/move.ts';
import type { Release } from '../domain/ledger/release.ts';
import { segmentOf } from '../domain/order/claim.ts';
import type { Gate } from '../ports/gate.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import type { GateSession } from './gate-session.ts';

export interface DeliverDeps {
  readonly gate: Gate;
  readonly session: GateSession;
  readonly inventoryCentre: InventoryCentre;
}

/** False when the gate would not take it now: it stays in transit. */
export async function deliverMove(deps: DeliverDeps, move: Move): Promise<boolean> {
  const call = await deps.session.call(move.quota);
  const answer = await deps.gate.credit(call, {
    moveId: move.id,
    epoch: move.epoch,
    channel: move.quota.channel,
    units: move.units,
  });
  if (answer !== 'credited' && answer !== 'repeated') return false;
  await deps.inventoryCentre.finishMove(move.id);
  return true;
}

/** Likewise; a claim that the gate does not know stays in transit, where a rebuild finds it. */
export async function deliverRelease(deps: DeliverDeps, release: Release): Promise<boolean> {
  const call = await deps.session.call(segmentOf(release));
  const answer = await deps.gate.release(call, release, release.epoch, release.destination);
  if (answer !== 'released' && answer !== 'repeated') return false;
  await deps.inventoryCentre.finishRelease(release.id);
  return true;
}

/** Fetches what a return is to bring: the gate's figure, given once, is what becomes free, or goes on from there. */
export async function deliverReturn(deps: DeliverDeps, { id, quota, units, epoch }: ReturnMove): Promise<boolean> {
  const call = await deps.session.call(quota);
  const answer = await deps.gate.debit(call, { moveId: id, epoch, channel: quota.channel, units });
  if (typeof answer === 'string') return false;
  const onward = await deps.inventoryCentre.finishReturn(id, answer.units);
  return onward === null || deliverMove(deps, onward);
}
