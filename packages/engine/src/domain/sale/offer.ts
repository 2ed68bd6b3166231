/**
 * What a sale offers: its kind, what one unit delivers and what one unit costs. It is fixed when the sale is created, since
 * the orders that exist are priced by it.
 */
import type { SaleKind } from '@sluice/contract/codes';

export type { SaleKind };

export interface Item {
  readonly itemId: string;
  readonly quantity: number;
}

export interface Money {
  /** In the currency's smallest unit. */
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

export interface Points {
  readonly points: number;
}

export type Price = Money | Points;

interface Delivery {
  readonly items: readonly Item[];
}

export type Offer =
  /** Without a price, what is paid is the back end's affair. */
  | (Delivery & { readonly kind: 'limited_skin'; readonly price: Money | null })
  | (Delivery & { readonly kind: 'gift_pack'; readonly price: null })
  | (Delivery & { readonly kind: 'exchange'; readonly price: Points });

/** One item of this id, for whatever the back end asks. */
export function plainOffer(itemId: string): Offer {
  return { kind: 'limited_skin', items: [{ itemId, quantity: 1 }], price: null };
}

/** What so many units cost together; null when nothing is asked for, or nothing is known of it. */
export function costOf({ price }: Offer, units: number): Price | null {
  if (price === null) return null;
  return 'points' in price
    ? { points: price.points * units }
    : { amount: price.amount * units, currency: price.currency };
}

/** The same as a bare number: what a payment for so many units must say, when it says one. */
export function amountDueOf(offer: Offer, units: number): number | null {
  const cost = costOf(offer, units);
  if (cost === null) return null;
  return 'points' in cost ? cost.points : cost.amount;
}

/** What so many units deliver together. */
export function itemsOf({ items }: Offer, units: number): readonly Item[] {
  return items.map(({ itemId, quantity }) => ({ itemId, quantity: quantity * units }));
}
