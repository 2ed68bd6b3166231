/**
 * Keeps a sale as it should be: its segments loaded on the server that is there, its terms known to the gate, what is in
 * transit delivered, its free units where they can be sold, and, once it is closed, what is left back at the centre. It looks at what is and does what is missing, so the same few
 * steps publish a sale, warm it up after a start, rebuild it after a lost gate and finish what a crash left open. Off the
 * buying path; harmless to repeat.
 */

import { isGateFault } from '../domain/fault.ts';
import type { SaleId } from '../domain/ids.ts';
import type { Move } from '../domain/inventory/move.ts';
import { quotaName } from '../domain/inventory/quota.ts';
import { spreadUnits } from '../domain/inventory/spread-units.ts';
import type { SegmentRecord } from '../domain/ledger/epoch.ts';
import { isSameTerms, termsOf } from '../domain/sale/sale.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Stock } from '../ports/inventory-centre.ts';
import type { Sales } from '../ports/sales.ts';
import { lookForStrays, type StrayWatch } from './bring-back-strays.ts';
import { type DeliverDeps, deliverMove, deliverRelease, deliverReturn } from './deliver.ts';
import { gatherUnits } from './gather-units.ts';
import type { LedgerWatch } from './ledger-watch.ts';
import { type RebuildDeps, rebuildSegment } from './rebuild-segment.ts';
import { returnUnits } from './return-units.ts';
import { tellSoldOut } from './tell-conditions.ts';

export interface KeepDeps extends DeliverDeps, RebuildDeps {
  readonly sales: Pick<Sales, 'notice'>;
  readonly idSource: IdSource;
  /** Where claims are looked for whose entries were lost. */
  readonly strayWatch?: StrayWatch;
  /** Where the ledger is a database that may lose what it has committed. */
  readonly ledgerWatch?: LedgerWatch;
}

export type KeepResult =
  /** Nothing is left to do. */
  | 'kept'
  /** Something could not be done now; look again soon. */
  | 'unfinished'
  | 'absent';

export async function keepSale(deps: KeepDeps, saleId: SaleId): Promise<KeepResult> {
  const { ledgerWatch } = deps;
  const settled = ledgerWatch?.claimsOf(saleId) ?? [];
  const before = await deps.inventoryCentre.stock(saleId, settled);
  if (!before) return 'absent';
  // A draft has nothing at the gate yet, and in a settled sale nothing moves any more.
  if (before.sale.state === 'draft') return 'kept';
  if (before.sale.state === 'settled') {
    await deps.queue.retire(before.segments);
    return 'kept';
  }

  ledgerWatch?.compare(before, settled);
  // Side by side: of a lost gate every segment waits to be rebuilt. One whose server is away keeps no other one waiting.
  const kept = await Promise.allSettled(before.segments.map((segment) => keepSegment(deps, before, segment)));
  const failed = kept.filter((each) => each.status === 'rejected');
  const worst = failed.find(({ reason }) => !isGateFault(reason)) ?? failed[0];
  if (worst) throw worst.reason;
  if (kept.some((each) => each.status === 'fulfilled' && each.value === 'caught_up')) ledgerWatch?.tell(saleId);
  let isDone = kept.every((each) => each.status === 'fulfilled' && each.value !== 'unfinished');

  // Read again: a rebuild has absorbed what was in transit, and delivering that would be refused.
  const stock = await deps.inventoryCentre.stock(saleId, []);
  if (!stock) return 'absent';
  await tellSoldOut(deps, stock);
  for (const move of stock.openMoves) isDone = (await deliverMove(deps, move)) && isDone;
  for (const release of stock.openReleases) isDone = (await deliverRelease(deps, release)) && isDone;
  for (const move of stock.openReturns) isDone = (await deliverReturn(deps, move)) && isDone;
  for (const withdrawal of stock.openWithdrawals) {
    isDone = (await gatherUnits(deps, withdrawal)).kind !== 'open' && isDone;
  }
  isDone = (await placeUnits(deps, stock, isDone)) && isDone;
  return isDone ? 'kept' : 'unfinished';
}

/** While a sale sells its units belong to its gates; once it is closed, to the centre. */
async function placeUnits(deps: KeepDeps, stock: Stock, isDone: boolean): Promise<boolean> {
  if (stock.sale.state !== 'closed') return allotFreeUnits(deps, stock);
  // A gate that has not confirmed the close still sells, and what comes to it later must be fetched, too.
  return isDone && returnUnits(deps, stock, null);
}

type KeptSegment = 'kept' | 'unfinished' | 'caught_up';

async function keepSegment(deps: KeepDeps, stock: Stock, segment: SegmentRecord): Promise<KeptSegment> {
  await deps.session.renew(segment, stock.sale.limitGroup);
  const call = await deps.session.call(segment);
  const view = await deps.gate.read(segment);
  if (view?.epoch === segment.epoch) deps.loadWatch?.ended(segment, segment.epoch);
  if (deps.ledgerWatch?.isBehind(segment, view)) {
    if (!(await rebuildSegment(deps, segment, view?.epoch))) return 'unfinished';
    deps.ledgerWatch.caughtUp(segment);
    return 'caught_up';
  }
  if (!view || view.identity !== call.identity || view.epoch !== segment.epoch) {
    return keptIf(!deps.loadWatch?.mayBeUnderWay(segment) && (await rebuildSegment(deps, segment)));
  }
  if (deps.strayWatch && !(await lookForStrays(deps, deps.strayWatch, view))) return 'unfinished';
  if (isSameTerms(view.terms, termsOf(stock.sale))) return 'kept';
  return keptIf((await deps.gate.setTerms(call, termsOf(stock.sale), segment.epoch)) === 'set');
}

function keptIf(isDone: boolean): KeptSegment {
  return isDone ? 'kept' : 'unfinished';
}

/**
 * Free units go to all quotas, a move each. Its id names the stock that was seen: keepers who spread the same units at the
 * same time issue the same moves.
 */
async function allotFreeUnits(deps: KeepDeps, { centre, generation, quotas }: Stock): Promise<boolean> {
  const moves: Move[] = [];
  for (const { quota, units } of spreadUnits(quotas, centre.freeUnits)) {
    const moveId = `spread/${generation}-${centre.freeUnits}/${quotaName(quota)}`;
    const result = await deps.inventoryCentre.allot({ moveId, quota, units });
    if (result.kind === 'refused') break;
    moves.push(result.move);
  }
  let isDone = true;
  for (const move of moves) isDone = (await deliverMove(deps, move)) && isDone;
  return isDone;
}
