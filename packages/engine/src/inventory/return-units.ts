/**
 * Brings units back from gates to the centre. The intent is in the ledger before a gate gives anything, so what a crash cuts
 * off is found there and finished by the keeper; and a gate that was lost in between had it in its next load.
 */
import { segmentName } from '../domain/inventory/quota.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Stock } from '../ports/inventory-centre.ts';
import { type DeliverDeps, deliverReturn } from './deliver.ts';

export interface ReturnDeps extends DeliverDeps {
  readonly idSource: IdSource;
}

/** Returns of up to `units` from wherever they are, null: of all. False when one of them is not finished. */
export async function returnUnits(deps: ReturnDeps, stock: Stock, units: number | null): Promise<boolean> {
  const { gate, session, inventoryCentre, idSource } = deps;
  let wanted = units;
  let isDone = true;
  for (const quota of stock.quotas) {
    const call = await session.call(quota);
    const segment = stock.segments.find((each) => segmentName(each) === segmentName(quota));
    const view = await gate.read(quota);
    const isLoaded = view && view.identity === call.identity && view.epoch === segment?.epoch;
    // Of a gate that is not loaded nothing can be fetched; the keeper loads it first.
    if (!isLoaded) isDone = false;
    const availableUnits = isLoaded ? (view.availableUnits.get(quota.channel) ?? 0) : 0;
    if (availableUnits === 0 || wanted === 0) continue;
    const asked = wanted === null ? null : Math.min(wanted, availableUnits);
    const issued = await inventoryCentre.issueReturn({ moveId: idSource.newId(), quota, units: asked });
    if (issued.kind === 'refused') return true;
    isDone = (await deliverReturn(deps, issued.move)) && isDone;
    if (wanted !== null) wanted -= asked ?? 0;
  }
  return isDone;
}
