/**
 * Which segment a buyer meets in a sale. How many a sale has never changes, so it is remembered for good, and a ledger that
 * cannot be read later keeps nobody from the gate.
 */
import type { BuyerId, SaleId } from '../../domain/ids.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import { segmentOfBuyer } from '../../domain/inventory/segment-of-buyer.ts';
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

/** Sales that are sold at about the same time; one that was forgotten is read again. */
const MAX_SALES = 10_000;

export function createSegmentFinder(readSale: (saleId: SaleId) => Promise<Sale | null>): SegmentFinder {
  const counts = new Map<SaleId, number>();

  async function countOf(saleId: SaleId): Promise<number | null> {
    const sale = await readSale(saleId);
    if (!sale) return null;
    const oldest = counts.keys().next();
    if (counts.size >= MAX_SALES && !oldest.done) counts.delete(oldest.value);
    counts.set(saleId, sale.segments);
    return sale.segments;
  }

  return {
    async find({ saleId, region, buyerId }) {
      const segments = counts.get(saleId) ?? (await countOf(saleId));
      return segments === null ? null : { saleId, region, segment: segmentOfBuyer(saleId, buyerId, segments) };
    },
  };
}
