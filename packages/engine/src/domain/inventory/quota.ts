/**
 * Segments and quotas. A segment is one of the sale's parts of buyers at one region's gate; a quota is the units that one
 * channel may sell in one segment.
 */
import type { SaleId } from '../ids.ts';

export interface SegmentKey {
  readonly saleId: SaleId;
  readonly region: string;
  readonly segment: number;
}

export interface QuotaKey extends SegmentKey {
  readonly channel: string;
}

/** Law, kept by a CHECK in every ledger: held + sold + quarantined <= allotted. */
export interface Quota extends QuotaKey {
  readonly allottedUnits: number;
  readonly heldUnits: number;
  readonly soldUnits: number;
  readonly quarantinedUnits: number;
}

/** One string for one segment: the key of maps, and the order in which rows are locked. */
export function segmentName(key: SegmentKey): string {
  return `${key.saleId}/${key.region}/${key.segment}`;
}

export function quotaName(key: QuotaKey): string {
  return `${segmentName(key)}/${key.channel}`;
}

/** Units of a quota that the ledger has not tied to an order: what its gate may claim at the most. */
export function unorderedUnits(quota: Quota): number {
  return quota.allottedUnits - quota.heldUnits - quota.soldUnits - quota.quarantinedUnits;
}

/** The region and the channel of a sale that is not divided. */
export const HOME_REGION = 'home';
export const MAIN_CHANNEL = 'main';
