/** Between rows and the domain's words. */
import { invariant } from '../../domain/invariant.ts';
import type { Centre } from '../../domain/inventory/centre.ts';
import type { Withdrawal } from '../../domain/inventory/decide-withdrawal.ts';
import type { Move, ReturnMove } from '../../domain/inventory/move.ts';
import type { Quota, QuotaKey, SegmentKey } from '../../domain/inventory/quota.ts';
import type { Entry } from '../../domain/ledger/entry.ts';
import type { SegmentRecord } from '../../domain/ledger/epoch.ts';
import type { Release } from '../../domain/ledger/release.ts';
import type { Charge } from '../../domain/order/charge.ts';
import type { Claim } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import type { OrderEvent } from '../../domain/order/order-event.ts';
import type { Payment } from '../../domain/order/payment.ts';
import type { SaleCondition } from '../../domain/sale/decide-notice.ts';
import { type Offer, plainOffer } from '../../domain/sale/offer.ts';
import type { Sale, SaleDraft } from '../../domain/sale/sale.ts';
import type {
  ChargeTable,
  ClaimColumns,
  CutTable,
  JournalTable,
  MoveTable,
  OrderEventTable,
  OrderTable,
  PaymentTable,
  QuotaColumns,
  QuotaTable,
  ReleaseTable,
  ReturnTable,
  SaleTable,
  SegmentColumns,
  SegmentTable,
  WithdrawalTable,
} from './schema.ts';

export function saleOf(row: SaleTable): Sale {
  return {
    id: row.id,
    title: row.title,
    offer: offerOfRow(row),
    totalUnits: row.total_units,
    limitUnits: row.limit_units,
    startsAtMs: row.starts_at_ms,
    endsAtMs: row.ends_at_ms,
    timeZone: row.time_zone,
    holdMs: row.hold_ms,
    segments: row.segments,
    state: row.state,
    version: row.version,
    ...(row.limit_group !== null && { limitGroup: row.limit_group }),
  };
}

export function newSaleRow(draft: SaleDraft, centre: Centre): SaleTable {
  return {
    id: draft.id,
    title: draft.title,
    total_units: centre.totalUnits,
    free_units: centre.freeUnits,
    allotted_units: centre.allottedUnits,
    limit_units: draft.limitUnits,
    starts_at_ms: draft.startsAtMs,
    ends_at_ms: draft.endsAtMs,
    hold_ms: draft.holdMs,
    state: 'draft',
    version: 1,
    ...offerColumns(draft.offer),
    time_zone: draft.timeZone,
    generation: 0,
    limit_group: draft.limitGroup ?? null,
    segments: draft.segments,
    ...{ is_told_sold_out: 0, is_told_unbalanced: 0 },
  };
}

function offerOfRow(row: SaleTable): Offer {
  const { kind, price_amount: amount, price_currency: currency, price_points: points } = row;
  const items = row.items === null ? plainOffer(row.id).items : (JSON.parse(row.items) as Offer['items']);
  switch (kind) {
    case 'limited_skin':
      return { kind, items, price: amount === null || currency === null ? null : { amount, currency } };
    case 'gift_pack':
      return { kind, items, price: null };
    case 'exchange':
      invariant(points !== null, `sale ${row.id} has a price in points`);
      return { kind, items, price: { points } };
  }
}

function offerColumns({ kind, items, price }: Offer) {
  const points = price !== null && 'points' in price ? price.points : null;
  const money = price !== null && 'amount' in price ? price : null;
  return {
    kind,
    items: JSON.stringify(items),
    price_amount: money?.amount ?? null,
    price_currency: money?.currency ?? null,
    price_points: points,
  };
}

export function toldOfRow(row: SaleTable): Readonly<Record<SaleCondition, boolean>> {
  return { soldOut: row.is_told_sold_out === 1, unbalanced: row.is_told_unbalanced === 1 };
}

export function centreOfRow(row: SaleTable): Centre {
  return { totalUnits: row.total_units, freeUnits: row.free_units, allottedUnits: row.allotted_units };
}

export function segmentKeyOf(row: SegmentColumns): SegmentKey {
  return { saleId: row.sale_id, region: row.region, segment: row.segment };
}

export function segmentColumns(key: SegmentKey): SegmentColumns {
  return { sale_id: key.saleId, region: key.region, segment: key.segment };
}

/** `cuts`: those of this segment, at least. */
export function segmentRecordOf(row: SegmentTable, cuts: readonly CutTable[]): SegmentRecord {
  const own = cuts.filter((cut) => isSameSegment(cut, row)).sort((a, b) => a.epoch - b.epoch);
  return {
    ...segmentKeyOf(row),
    epoch: row.epoch,
    cuts: own.map((cut) => ({ epoch: cut.epoch, through: { epoch: cut.through_epoch, seq: cut.through_seq } })),
    settledThrough: { epoch: row.settled_epoch, seq: row.settled_seq },
  };
}

function isSameSegment(a: SegmentColumns, b: SegmentColumns): boolean {
  return a.sale_id === b.sale_id && a.region === b.region && a.segment === b.segment;
}

function quotaKeyOf(row: QuotaColumns): QuotaKey {
  return { ...segmentKeyOf(row), channel: row.channel };
}

export function quotaColumns(key: QuotaKey): QuotaColumns {
  return { ...segmentColumns(key), channel: key.channel };
}

export function quotaOfRow(row: QuotaTable): Quota {
  return {
    ...quotaKeyOf(row),
    allottedUnits: row.allotted_units,
    heldUnits: row.held_units,
    soldUnits: row.sold_units,
    quarantinedUnits: row.quarantined_units,
  };
}

export function claimOfRow(row: ClaimColumns): Claim {
  return {
    orderId: row.order_id,
    saleId: row.sale_id,
    buyerId: row.buyer_id,
    units: row.units,
    origin: { region: row.region, segment: row.segment, channel: row.channel, epoch: row.epoch, seq: row.seq },
  };
}

export function orderOfRow(row: OrderTable): Order {
  return {
    ...claimOfRow(row),
    state: row.state,
    refusal: row.refusal,
    settledAtMs: row.settled_at_ms,
    dueAtMs: row.due_at_ms,
  };
}

export function moveOfRow(row: MoveTable): Move {
  return { id: row.id, quota: quotaKeyOf(row), units: row.units, epoch: row.epoch };
}

export function releaseOfRow(row: ReleaseTable): Release {
  return { ...claimOfRow(row), id: row.id, epoch: row.release_epoch, destination: row.destination };
}

export function returnOfRow(row: ReturnTable): ReturnMove {
  return { id: row.id, quota: quotaKeyOf(row), units: row.wanted_units, epoch: row.epoch, onwardTo: row.onward_to };
}

export function withdrawalOfRow({ id, sale_id, delivery, units, state }: WithdrawalTable): Withdrawal {
  return { id, saleId: sale_id, delivery, units, state };
}

export function entryOfRow(row: Omit<JournalTable, 'id'>): Entry {
  const { region, segment, channel } = row;
  const isAtCentre = region === null || segment === null || channel === null;
  return {
    saleId: row.sale_id,
    quota: isAtCentre ? null : { saleId: row.sale_id, region, segment, channel },
    from: row.from_account,
    to: row.to_account,
    units: row.units,
    cause: row.cause,
    causeId: row.cause_id,
  };
}

export function orderEventOfRow(row: Omit<OrderEventTable, 'id' | 'handed_out_at_ms'>): OrderEvent {
  return {
    type: row.type,
    orderId: row.order_id,
    saleId: row.sale_id,
    buyerId: row.buyer_id,
    units: row.units,
    state: row.state,
    atMs: row.at_ms,
    ...{ reference: row.reference, amount: row.amount },
  };
}

export function paymentOfRow(row: Omit<PaymentTable, 'id'>): Payment {
  const { reference, outcome, order_id, amount, state } = row;
  return { reference, outcome, orderId: order_id, amount, state };
}

export function chargeOfRow({ order_id, points, state }: ChargeTable): Charge {
  return { orderId: order_id, points, state };
}
