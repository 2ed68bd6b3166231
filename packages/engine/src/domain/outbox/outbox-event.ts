/**
 * What the outbox has to tell: events of orders and of sales, each with an id that stays the same however often it is told.
 * Events of one subject are told in the order in which they happened.
 */
import type { EventType } from '@sluice/contract/codes';
import type { OrderEvent } from '../order/order-event.ts';
import { costOf, itemsOf, type Offer } from '../sale/offer.ts';
import type { SaleEvent } from '../sale/sale-event.ts';

export type { EventType };

/** As the ledger keeps it. */
export type StoredEvent =
  | { readonly kind: 'order'; readonly number: number; readonly event: OrderEvent }
  | { readonly kind: 'sale'; readonly number: number; readonly event: SaleEvent };

export type OutboxEvent =
  /** With what its sale offers: whoever delivers needs no call to learn what. */
  | { readonly kind: 'order'; readonly number: number; readonly event: OrderEvent; readonly offer: Offer }
  | { readonly kind: 'sale'; readonly number: number; readonly event: SaleEvent };

/** In the words of the contract's EVENT_MESSAGE; times as milliseconds. */
export interface EventMessage {
  readonly id: string;
  readonly type: EventType | 'webhook.test';
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What its events are told in the order of. */
export function subjectOf(stored: StoredEvent): string {
  return stored.kind === 'order' ? stored.event.orderId : stored.event.saleId;
}

/** By the subject, whose ids nobody else has, and the number of the row: unlike a row's number alone, unique for ever. */
function eventIdOf(subject: string, number: number): string {
  return `${subject}.${number}`;
}

export function messageOf(outboxEvent: OutboxEvent): EventMessage {
  const { number } = outboxEvent;
  if (outboxEvent.kind === 'sale') {
    const { type, saleId, state, totalUnits, surplusUnits, atMs } = outboxEvent.event;
    const surplus = surplusUnits === null ? {} : { surplusUnits };
    return { id: eventIdOf(saleId, number), type, atMs, data: { saleId, status: state, totalUnits, ...surplus } };
  }
  const { event, offer } = outboxEvent;
  const { type, orderId, saleId, buyerId, units, state, atMs, reference, amount } = event;
  const priced = { kind: offer.kind, items: itemsOf(offer, units), cost: costOf(offer, units) };
  const data = { orderId, saleId, buyer: buyerId, units, status: state, ...priced, reference, amount };
  return { id: eventIdOf(orderId, number), type, atMs, data };
}
