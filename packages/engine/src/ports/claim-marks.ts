/**
 * What a gate remembers of one buyer, to be read by whoever may hear of it. A gate finds claims by their buyer and has no
 * index by order, so the sale must be known. A reading, not a judgement: nothing is decided by it.
 */
import type { ClaimMark } from '../domain/gate/decide-claim.ts';
import type { BuyerId } from '../domain/ids.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';

export interface ClaimMarks {
  /** True: in this process's memory, read at once and lost only with it. Then any number of losers may be looked up. */
  readonly isNear: boolean;
  /** None for a buyer who never won there, and for a segment that is not loaded. */
  ofBuyer(segment: SegmentKey, buyerId: BuyerId): Promise<readonly ClaimMark[]>;
}
