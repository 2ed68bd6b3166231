/** What a sale offers, costs and when it is, as texts. */
import type { SaleKind } from '@sluice/contract/codes';
import type { Language, Words } from './words.ts';

export interface Offer {
  readonly kind: SaleKind;
  readonly items: readonly { readonly itemId: string; readonly quantity: number }[];
  readonly price: { readonly amount?: number; readonly currency?: string; readonly points?: number } | null;
}

export interface Window {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly timeZone: string;
}

export function offerText({ kind, items, price }: Offer, language: Language, words: Words): string {
  const things = items.map(({ itemId, quantity }) => (quantity === 1 ? itemId : `${quantity} × ${itemId}`)).join(', ');
  return `${things} · ${costText(kind, price, { language, words })}`;
}

interface Speech {
  readonly language: Language;
  readonly words: Words;
}

function costText(kind: SaleKind, price: Offer['price'], { language, words }: Speech): string {
  if (kind === 'gift_pack') return words.free;
  if (price?.points !== undefined) return words.points(price.points);
  if (price?.amount === undefined || price.currency === undefined) return words.forMoney;
  return moneyText(price.amount, price.currency, language);
}

/** The smallest unit is a hundredth of a yuan, and a whole yen: the browser knows which. */
function moneyText(amount: number, currency: string, language: Language): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** By the clocks of the sale's zone, and by those of this device where they show something else. */
export function windowText(window: Window, language: Language, ownZone: string): string {
  const text = (timeZone: string) => rangeText(window, language, timeZone);
  const [there, here] = [text(window.timeZone), text(ownZone)];
  const isSame = window.timeZone === ownZone;
  return isSame ? `${there} (${ownZone})` : `${there} (${window.timeZone}) · ${here} (${ownZone})`;
}

function rangeText({ startsAtMs, endsAtMs }: Window, language: Language, timeZone: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return `${format.format(startsAtMs)} – ${format.format(endsAtMs)}`;
}
