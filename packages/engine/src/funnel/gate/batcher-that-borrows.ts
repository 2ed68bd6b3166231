/**
 * A batcher for whose buyers dry is not an answer: the claim waits for units to be brought, and is made again. It says `dry` or
 * `not_enough_left` only when none came, and `busy` when that is not clear, or others were faster again and again.
 */
import { Fault } from '../../domain/fault.ts';
import type { BorrowAnswer } from '../../domain/inventory/dry.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { DryJudge } from '../../inventory/judge-dry.ts';
import type { Lender } from '../../inventory/lender.ts';
import type { ClaimRequest } from '../../ports/gate.ts';
import type { BatchedOutcome, ClaimBatcher } from './claim-batcher.ts';

export interface BorrowingDeps {
  readonly lender: Lender;
  readonly dryJudge: Pick<DryJudge, 'standing'>;
}

/** Each time somebody else took what was brought: then there are many, and coming again is as good as waiting. */
const MAX_BORROWS = 4;

export function batcherThatBorrows(batcher: ClaimBatcher, segment: SegmentKey, deps: BorrowingDeps): ClaimBatcher {
  async function claim(request: ClaimRequest): Promise<BatchedOutcome> {
    for (let borrows = 0; ; borrows++) {
      const outcome = await batcher.claim(request);
      if (outcome.kind !== 'dry' && outcome.kind !== 'not_enough_left') return outcome;
      // A million losers need not look for units each.
      if (outcome.kind === 'dry' && (await isGone(deps, segment))) return outcome;
      if (borrows === MAX_BORROWS) return { kind: 'busy' };
      const { kind, leftUnits } = await borrow(deps, segment, request);
      if (kind === 'unclear') return { kind: 'busy' };
      if (kind === 'none') return leftUnits > 0 ? { kind: 'not_enough_left', leftUnits } : outcome;
    }
  }
  return { claim };
}

async function isGone({ dryJudge }: BorrowingDeps, { saleId }: SegmentKey): Promise<boolean> {
  const verdict = await dryJudge.standing(saleId);
  return verdict !== null && verdict !== 'units_left';
}

async function borrow(
  { lender }: BorrowingDeps,
  segment: SegmentKey,
  { channel, units }: ClaimRequest,
): Promise<BorrowAnswer> {
  try {
    const { saleId, region, segment: number } = segment;
    return await lender.borrow({ saleId, region, segment: number, channel }, { units, leastUnits: units });
  } catch (error) {
    if (error instanceof Fault && error.retryable) return { kind: 'unclear', leftUnits: 0 };
    throw error;
  }
}
