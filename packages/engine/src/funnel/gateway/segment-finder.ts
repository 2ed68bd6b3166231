/**
 * Which segment a buyer meets in a sale. How many a sale has never changes, nor its limit group, so they are remembered for
 * good, and a ledger that cannot be read later keeps nobody from the gate.
 */
import type { BuyerId, SaleId } from '../../domain/ids.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import { segmentOfBuyer } from '../../domain/inventory/segment-of-buyer.ts';
import { type LimitScope, limitScopeOf } from '../../domain/sale/limit-scope.ts';
import type { Sale } from '../../domain/sale/sale.ts';

export interface SegmentFinder {
  /** Null: there is no such sale. A fault when its sale was never read and cannot be now. */
  find(who: WhoBuys): Promise<SegmentKey | null>;
}

export interface WhoBuys {
  readonly saleId: SaleId;
  readonly region: string;
  readonly buyerId: BuyerId;
}

interface Parts {
  readonly limitScope: LimitScope;
  readonly segments: number;
}

/** Sales that are sold at about the same time; one that was forgotten is read again. */
const MAX_SALES = 10_000;

export function createSegmentFinder(readSale: (saleId: SaleId) => Promise<Sale | null>): SegmentFinder {
  const parts = new Map<SaleId, Parts>();

  async function partsOf(saleId: SaleId): Promise<Parts | null> {
    const sale = await readSale(saleId);
    if (!sale) return null;
    const oldest = parts.keys().next();
    if (parts.size >= MAX_SALES && !oldest.done) parts.delete(oldest.value);
    const read = { limitScope: limitScopeOf(sale), segments: sale.segments };
    parts.set(saleId, read);
    return read;
  }

  return {
    async find({ saleId, region, buyerId }) {
      const found = parts.get(saleId) ?? (await partsOf(saleId));
      if (!found) return null;
      return { saleId, region, segment: segmentOfBuyer(found.limitScope, buyerId, found.segments) };
    },
  };
}
