/** The sales that a first start opens, one of each kind, so that there is something to buy. */
import { type Offer, plainOffer } from '../domain/sale/offer.ts';
import type { Sale } from '../domain/sale/sale.ts';
import type { SaleWish } from '../inventory/create-sale.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sales } from '../ports/sales.ts';
import type { Engine } from './engine.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Sample {
  readonly id: string;
  readonly title: string;
  readonly offer: Offer;
  readonly totalUnits: number;
}

const SAMPLES: readonly Sample[] = [
  {
    ...{ id: 'starter-skin', title: 'Starter skin', totalUnits: 500 },
    offer: { ...plainOffer('starter-skin'), kind: 'limited_skin', price: { amount: 4_900, currency: 'CNY' } },
  },
  {
    ...{ id: 'starter-gift', title: 'Starter gift pack', totalUnits: 500 },
    offer: {
      ...{ kind: 'gift_pack', price: null },
      items: [
        { itemId: 'wooden-sword', quantity: 1 },
        { itemId: 'potion', quantity: 5 },
        { itemId: 'gold-coin', quantity: 100 },
      ],
    },
  },
  {
    ...{ id: 'starter-exchange', title: 'Starter exchange', totalUnits: 500 },
    offer: { kind: 'exchange', items: [{ itemId: 'star-mount', quantity: 1 }], price: { points: 60 } },
  },
];

/** On an empty ledger only; what takes points only where a wallet has some. Empty when the operator's own are there instead. */
export async function openSampleSales(engine: Engine, sales: Sales, clock: Clock): Promise<readonly Sale[]> {
  const isFirst = (await sales.list()).length === 0;
  const opened: Sale[] = [];
  for (const sample of SAMPLES) {
    if (isFirst) await engine.createSale(draftAt(sample, clock.nowMs()));
    const sale = await engine.showSale(sample.id);
    // A draft: the start that created it was killed before it was published.
    if (sale?.state === 'draft') await engine.operateSale(sample.id, 'publish');
    const now = await engine.showSale(sample.id);
    if (now && now.state !== 'draft') opened.push(now);
  }
  return opened;
}

function draftAt(sample: Sample, nowMs: number): SaleWish {
  return {
    ...sample,
    ...{ limitUnits: 1, timeZone: 'UTC', holdMs: 15 * MINUTE_MS },
    ...{ startsAtMs: nowMs, endsAtMs: nowMs + 30 * DAY_MS },
  };
}
