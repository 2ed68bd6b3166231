/**
 * What a sale that is remembered as gone answers to a try before its body is read: most of a sold-out sale's answers. It
 * promises to say nothing that the whole path would not say then: a buyer who has anything at the gate goes on to be told
 * of it, and so does everybody while the sale does not sell. What the body would have said of itself is not looked at.
 */
import type { Buyer } from '../domain/buyer.ts';
import { Fault } from '../domain/fault.ts';
import type { SaleId } from '../domain/ids.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Sale } from '../domain/sale/sale.ts';
import { phaseAt } from '../domain/sale/schedule.ts';
import type { DryJudge } from '../inventory/judge-dry.ts';
import type { ClaimMarks } from '../ports/claim-marks.ts';
import type { Clock } from '../ports/clock.ts';
import type { HotEntries } from './gateway/hot-entries.ts';
import type { SegmentFinder } from './gateway/segment-finder.ts';

export interface RefuseUnreadDeps {
  readonly sales: HotEntries<Sale>;
  readonly clock: Clock;
  readonly dryJudge: DryJudge;
  readonly claimMarks: ClaimMarks;
  readonly segments: SegmentFinder;
}

/** Null: the try goes on. At once where there is nothing to look up, which is nearly always while there are units. */
export function refuseUnread(deps: RefuseUnreadDeps, saleId: SaleId, buyer: Buyer): Promise<Refusal | null> | null {
  const { claimMarks, dryJudge } = deps;
  return claimMarks.isNear && dryJudge.isRemembered(saleId) ? lookUp(deps, saleId, buyer) : null;
}

async function lookUp(deps: RefuseUnreadDeps, saleId: SaleId, buyer: Buyer): Promise<Refusal | null> {
  const { sales, clock, dryJudge, claimMarks, segments } = deps;
  try {
    const gone = await dryJudge.recall(saleId);
    if (!gone) return null;
    const sale = await sales.get(saleId);
    if (sale?.state !== 'live' || phaseAt(sale, clock.nowMs()) !== 'selling') return null;
    const segment = await segments.find({ ...buyer, saleId });
    if (!segment) return null;
    // Asked last and never remembered: what was won a moment ago is known here.
    const marks = await claimMarks.ofBuyer(segment, buyer.buyerId);
    return marks.length === 0 ? refuse(gone) : null;
  } catch (error) {
    if (error instanceof Fault && error.retryable) return null;
    throw error;
  }
}
