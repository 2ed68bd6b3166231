/** A sale to be created, as an operator's request says it: what does not go together is refused with a sentence. */
import type { CreateSaleRequest } from '@sluice/contract';
import { readOffer } from '../domain/sale/read-offer.ts';
import { readWindow } from '../domain/sale/read-window.ts';
import type { SaleWish } from '../inventory/create-sale.ts';

export const NO_WALLET =
  'An exchange takes points from a wallet, and this deployment has none: set walletUrl (SLUICE_WALLET_URL).';

export type DraftReading =
  | { readonly kind: 'draft'; readonly draft: SaleWish }
  | { readonly kind: 'mistake'; readonly sentence: string };

const DEFAULT_ZONE = 'UTC';

export function readDraft(request: CreateSaleRequest): DraftReading {
  const { id, title, totalUnits, limitUnits, holdMs, segments, kind, items, price, limitGroup, ...wish } = request;
  const offering = { ...(kind && { kind }), ...(items && { items }), ...(price && { price }) };
  const reading = readOffer(offering, { saleId: id, limitUnits });
  if (reading.kind === 'mistake') return reading;
  const window = readWindow(wish, DEFAULT_ZONE);
  if (window.kind === 'mistake') return window;
  const { startsAtMs, endsAtMs, timeZone = DEFAULT_ZONE } = window.window;
  if (startsAtMs === undefined) return mistake('startsAtMs or startsAt is missing.');
  if (endsAtMs === undefined) return mistake('endsAtMs or endsAt is missing.');
  if (endsAtMs <= startsAtMs) return mistake('endsAtMs must be after startsAtMs.');
  const { offer } = reading;
  return {
    kind: 'draft',
    draft: {
      ...{ id, title, offer, totalUnits, limitUnits, startsAtMs, endsAtMs, timeZone, holdMs },
      ...(limitGroup !== undefined && { limitGroup }),
      ...(segments !== undefined && { segments }),
    },
  };
}

function mistake(sentence: string): DraftReading {
  return { kind: 'mistake', sentence };
}
