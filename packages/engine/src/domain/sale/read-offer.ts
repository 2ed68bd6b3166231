/** Reads what an operator says of an offer: parts that do not go together are refused with a sentence. */
import { type Item, type Offer, plainOffer, type SaleKind } from './offer.ts';

export interface OfferWish {
  readonly kind?: SaleKind;
  readonly items?: readonly Item[];
  readonly price?: { readonly amount?: number; readonly currency?: string; readonly points?: number };
}

export type OfferReading =
  | { readonly kind: 'offer'; readonly offer: Offer }
  | { readonly kind: 'mistake'; readonly sentence: string };

export interface OfferFacts {
  readonly saleId: string;
  readonly limitUnits: number;
}

export function readOffer(wish: OfferWish, { saleId, limitUnits }: OfferFacts): OfferReading {
  const items = wish.items ?? plainOffer(saleId).items;
  if (new Set(items.map(({ itemId }) => itemId)).size < items.length) return mistake('items names an item twice.');
  // No order has more units than the limit, so every total of it stays exact.
  const largest = Math.max(...items.map(({ quantity }) => quantity), wish.price?.amount ?? 0, wish.price?.points ?? 0);
  if (!Number.isSafeInteger(largest * limitUnits)) return mistake('items and price are too large for limitUnits.');
  return offerOf(wish, items);
}

function offerOf({ kind = 'limited_skin', price }: OfferWish, items: readonly Item[]): OfferReading {
  const { amount, currency, points } = price ?? {};
  switch (kind) {
    case 'limited_skin': {
      if (price === undefined) return { kind: 'offer', offer: { kind, items, price: null } };
      if (points !== undefined || amount === undefined || currency === undefined) {
        return mistake('The price of a limited_skin is an amount and its currency, or none.');
      }
      return { kind: 'offer', offer: { kind, items, price: { amount, currency } } };
    }
    case 'gift_pack':
      return price === undefined
        ? { kind: 'offer', offer: { kind, items, price: null } }
        : mistake('A gift_pack has no price.');
    case 'exchange': {
      const isOther = amount !== undefined || currency !== undefined;
      if (points === undefined || isOther) return mistake('The price of an exchange is a number of points.');
      return { kind: 'offer', offer: { kind, items, price: { points } } };
    }
  }
}

function mistake(sentence: string): OfferReading {
  return { kind: 'mistake', sentence };
}
