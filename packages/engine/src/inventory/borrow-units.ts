/**
 * Brings units to a quota that is dry: what is on its way already, then the centre's, then what the quotas beside it have. It
 * promises that asking twice at the same moment, here or in another process, moves no more than asking once: the ids of its
 * moves name the generations that were seen, and every generation rises when units come.
 */
import type { BorrowAnswer, Want } from '../domain/inventory/dry.ts';
import { onwardQuota } from '../domain/inventory/move.ts';
import { type Lendable, planBorrow } from '../domain/inventory/plan-borrow.ts';
import { type Quota, type QuotaKey, quotaName, segmentName } from '../domain/inventory/quota.ts';
import type { SegmentView } from '../ports/gate.ts';
import type { Stock } from '../ports/inventory-centre.ts';
import { type DeliverDeps, deliverMove, deliverReturn } from './deliver.ts';

export async function borrowUnits(deps: DeliverDeps, key: QuotaKey, want: Want): Promise<BorrowAnswer> {
  const stock = await deps.inventoryCentre.stock(key.saleId, []);
  if (!stock || stock.sale.state === 'closed' || stock.sale.state === 'settled') return NOTHING;
  const gates = await readGates(deps, stock);
  const own = gates?.get(segmentName(key));
  if (!gates || !own) return UNCLEAR;
  const ownUnits = own.availableUnits.get(key.channel) ?? 0;
  // Somebody else has brought them.
  if (ownUnits >= want.units) return CAME;
  const delivered = await deliverOpen(deps, stock, key);
  const others = othersOf(stock, gates, key);
  const leftUnits = others.reduce((sum, { units }) => sum + units, ownUnits + stock.centre.freeUnits);
  // What is for nobody need not move: else it would go round among the segments of those who want more.
  if (delivered === null && leftUnits < want.leastUnits) return { kind: 'none', leftUnits };

  const isDone = delivered ?? (await borrow(deps, { stock, gates, own, key, others }, want.units - ownUnits));
  const after = await deps.gate.read(key);
  if (after?.epoch === own.epoch && after.generation !== own.generation) return CAME;
  return isDone ? NOTHING : UNCLEAR;
}

const CAME: BorrowAnswer = { kind: 'came', leftUnits: 0 };
const NOTHING: BorrowAnswer = { kind: 'none', leftUnits: 0 };
const UNCLEAR: BorrowAnswer = { kind: 'unclear', leftUnits: 0 };

function othersOf(stock: Stock, gates: Scene['gates'], key: QuotaKey): Scene['others'] {
  return stock.quotas
    .filter((quota) => isBeside(quota, key))
    .map((quota) => ({ quota, units: gates.get(segmentName(quota))?.availableUnits.get(quota.channel) ?? 0 }));
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
  readonly others: readonly Lendable<Quota>[];
}

async function borrow(
  deps: DeliverDeps,
  { stock, gates, own, key, others }: Scene,
  wantedUnits: number,
): Promise<boolean> {
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
