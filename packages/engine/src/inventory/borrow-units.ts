/**
 * Brings units to a quota that is dry: what is on its way already, then the centre's, then what the quotas beside it have. It
 * promises that asking twice at the same moment, here or in another process, moves no more than asking once: the ids of its
 * moves name the generations that were seen, and every generation rises when units come.
 */
import type { BorrowResult } from '../domain/inventory/dry.ts';
import { onwardQuota } from '../domain/inventory/move.ts';
import { planBorrow } from '../domain/inventory/plan-borrow.ts';
import { type Quota, type QuotaKey, quotaName, segmentName } from '../domain/inventory/quota.ts';
import type { SegmentView } from '../ports/gate.ts';
import type { Stock } from '../ports/inventory-centre.ts';
import { type DeliverDeps, deliverMove, deliverReturn } from './deliver.ts';

/** `wantedUnits`: of all who wait for this quota. */
export async function borrowUnits(deps: DeliverDeps, key: QuotaKey, wantedUnits: number): Promise<BorrowResult> {
  const stock = await deps.inventoryCentre.stock(key.saleId, []);
  if (!stock || stock.sale.state === 'closed' || stock.sale.state === 'settled') return 'none';
  const gates = await readGates(deps, stock);
  const own = gates?.get(segmentName(key));
  if (!gates || !own) return 'unclear';
  const missingUnits = wantedUnits - (own.availableUnits.get(key.channel) ?? 0);
  // Somebody else has brought them.
  if (missingUnits <= 0) return 'came';

  const isDone =
    (await deliverOpen(deps, stock, key)) ?? (await borrow(deps, { stock, gates, own, key }, missingUnits));
  const after = await deps.gate.read(key);
  if (after?.epoch === own.epoch && after.generation !== own.generation) return 'came';
  return isDone ? 'none' : 'unclear';
}

/** What a crash or a lost answer left on its way here; null when there is nothing. */
async function deliverOpen(deps: DeliverDeps, stock: Stock, key: QuotaKey): Promise<boolean | null> {
  const name = quotaName(key);
  const moves = stock.openMoves.filter(({ quota }) => quotaName(quota) === name);
  const returns = stock.openReturns.filter((move) => isNamed(onwardQuota(move), name));
  if (moves.length + returns.length === 0) return null;
  let isDone = true;
  for (const move of moves) isDone = (await deliverMove(deps, move)) && isDone;
  for (const move of returns) isDone = (await deliverReturn(deps, move)) && isDone;
  return isDone;
}

interface Scene {
  readonly stock: Stock;
  readonly gates: ReadonlyMap<string, SegmentView>;
  readonly own: SegmentView;
  readonly key: QuotaKey;
}

async function borrow(deps: DeliverDeps, { stock, gates, own, key }: Scene, wantedUnits: number): Promise<boolean> {
  const others = stock.quotas
    .filter((quota) => isBeside(quota, key))
    .map((quota) => ({ quota, units: gates.get(segmentName(quota))?.availableUnits.get(quota.channel) ?? 0 }));
  const { centreUnits, recalls } = planBorrow({ freeUnits: stock.centre.freeUnits, others }, wantedUnits);
  const borrower = `${key.segment}/${own.epoch}-${own.generation}`;
  let isDone = true;
  if (centreUnits > 0) {
    const moveId = `borrow/${quotaName(key)}/${own.epoch}-${own.generation}`;
    const result = await deps.inventoryCentre.allot({ moveId, quota: key, units: centreUnits });
    if (result.kind === 'allotted') isDone = await deliverMove(deps, result.move);
  }
  for (const { quota, units } of recalls) {
    const lender = gates.get(segmentName(quota));
    const moveId = `recall/${quotaName(quota)}/${lender?.epoch}-${lender?.generation}/${borrower}`;
    const issued = await deps.inventoryCentre.issueReturn({ moveId, quota, units, onwardTo: key.segment });
    if (issued.kind === 'issued') isDone = (await deliverReturn(deps, issued.move)) && isDone;
  }
  return isDone;
}

/** By segment name; null when one of them is not loaded: it may have what is wanted. */
async function readGates(deps: DeliverDeps, stock: Stock): Promise<ReadonlyMap<string, SegmentView> | null> {
  const gates = new Map<string, SegmentView>();
  const views = await Promise.all(stock.segments.map((segment) => deps.gate.read(segment)));
  for (const [at, segment] of stock.segments.entries()) {
    const { identity } = await deps.session.call(segment);
    const view = views[at];
    if (!view || view.identity !== identity || view.epoch !== segment.epoch) return null;
    gates.set(segmentName(segment), view);
  }
  return gates;
}

function isBeside(quota: Quota, key: QuotaKey): boolean {
  return quota.region === key.region && quota.channel === key.channel && quota.segment !== key.segment;
}

function isNamed(key: QuotaKey | null, name: string): boolean {
  return key !== null && quotaName(key) === name;
}
