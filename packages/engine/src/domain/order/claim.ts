/**
 * A claim: units that a gate took from a quota for one order. It is known by (order id, origin), never by the order id
 * alone: after a lost gate the same order can be claimed twice, and each claim's units must find their own way back.
 */
import type { BuyerId, OrderId, SaleId } from '../ids.ts';
import type { QuotaKey, SegmentKey } from '../inventory/quota.ts';

/** A place in the history of a segment: epochs order first, then the sequence within one. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

export const BEFORE_ALL: Position = { epoch: 0, seq: 0 };

/** Where and when a claim was made. */
export interface Origin extends Position {
  readonly region: string;
  readonly segment: number;
  readonly channel: string;
}

export interface Claim {
  readonly orderId: OrderId;
  readonly saleId: SaleId;
  readonly buyerId: BuyerId;
  readonly units: number;
  readonly origin: Origin;
}

export function comparePositions(a: Position, b: Position): number {
  return a.epoch - b.epoch || a.seq - b.seq;
}

export function isSameOrigin(a: Origin, b: Origin): boolean {
  return (
    a.epoch === b.epoch &&
    a.seq === b.seq &&
    a.segment === b.segment &&
    a.region === b.region &&
    a.channel === b.channel
  );
}

/** The id of a claim, of its release, and of its mark. */
export function claimId(claim: { readonly orderId: OrderId; readonly origin: Origin }): string {
  const { region, channel, segment, epoch, seq } = claim.origin;
  return `${claim.orderId}@${region}/${channel}/${segment}/${epoch}-${seq}`;
}

export function segmentOf(claim: { readonly saleId: SaleId; readonly origin: Origin }): SegmentKey {
  return { saleId: claim.saleId, region: claim.origin.region, segment: claim.origin.segment };
}

export function quotaOf(claim: { readonly saleId: SaleId; readonly origin: Origin }): QuotaKey {
  const { region, segment, channel } = claim.origin;
  return { saleId: claim.saleId, region, segment, channel };
}
