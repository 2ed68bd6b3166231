/**
 * Orders: the closed table of states and edges. Every change of an order is one of these edges, made by compare-and-set;
 * everything else about states is read off here.
 */
import { ORDER_STATES, type OrderState, type RefusalCause } from '@sluice/contract/codes';
import type { PlaceName } from '../inventory/place.ts';
import type { Claim } from './claim.ts';

export { ORDER_STATES, type OrderState, type RefusalCause };

export interface Order extends Claim {
  readonly state: OrderState;
  /** Why the ledger refused it; null unless `refused`. */
  readonly refusal: RefusalCause | null;
  /** Milliseconds since 1970 by the ledger's clock. */
  readonly settledAtMs: number;
  /** When an unpaid order may be ended; null when it holds nothing. */
  readonly dueAtMs: number | null;
}

/** What a gate has claimed: the ledger does not have it yet, or never will. */
export interface UnsettledOrder extends Claim {
  readonly state: 'queued' | 'lost';
  readonly refusal: null;
  readonly settledAtMs: null;
  readonly dueAtMs: null;
}

/** An order as its buyer may hear of it. */
export type KnownOrder = Order | UnsettledOrder;

/** An order that ended takes late money as `paid`, under a new claim, or as `paid_unfulfilled`, when there is none. */
export const ORDER_EDGES: Readonly<Record<OrderState, readonly OrderState[]>> = {
  queued: ['pending', 'paid', 'refused', 'lost'],
  pending: ['paid', 'cancelled', 'expired'],
  paid: ['fulfilled', 'refunded'],
  fulfilled: ['refunded'],
  cancelled: ['paid', 'paid_unfulfilled'],
  expired: ['paid', 'paid_unfulfilled'],
  refused: ['paid_unfulfilled'],
  lost: ['paid_unfulfilled'],
  paid_unfulfilled: ['refunded'],
  refunded: [],
};

const PLACE_OF_STATE: Readonly<Record<OrderState, PlaceName | null>> = {
  queued: 'claimed',
  pending: 'held',
  paid: 'sold',
  fulfilled: 'sold',
  cancelled: null,
  expired: null,
  refused: null,
  lost: null,
  paid_unfulfilled: null,
  refunded: null,
};

export function canBecome(from: OrderState, to: OrderState): boolean {
  return ORDER_EDGES[from].includes(to);
}

/** The place of an order's units, or null when the order has none. */
export function placeOfOrder(state: OrderState): PlaceName | null {
  return PLACE_OF_STATE[state];
}

/** A live order has units, or is about to; it counts against the buyer's limit. */
export function isLive(state: OrderState): boolean {
  return PLACE_OF_STATE[state] !== null;
}

/** Ended, and money may still come for it: then its units are claimed again. */
export function awaitsLateMoney(state: OrderState): boolean {
  return state === 'cancelled' || state === 'expired';
}

/** Nothing more happens to it by itself: only money or a person can change it now. */
export function isFinal(state: OrderState): boolean {
  return state !== 'queued' && state !== 'pending';
}
