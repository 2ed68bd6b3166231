/** A sale in the words of the wire. */
import type { AdminSaleAnswer, ListedSaleAnswer } from '@sluice/contract';
import type { Sale } from '../domain/sale/sale.ts';
import { phaseAt } from '../domain/sale/schedule.ts';
import { showIn } from '../domain/sale/zoned-time.ts';

export function saleAnswer(sale: Sale, nowMs: number): ListedSaleAnswer {
  const { id, title, state, offer, startsAtMs, endsAtMs, timeZone, limitUnits } = sale;
  const { kind, items, price } = offer;
  const [startsAt, endsAt] = [showIn(timeZone, startsAtMs), showIn(timeZone, endsAtMs)];
  return {
    ...{ id, title, state, phase: phaseAt(sale, nowMs), kind, items: [...items], price },
    ...{ startsAtMs, endsAtMs, timeZone, startsAt, endsAt, limitUnits, serverTimeMs: nowMs },
  };
}

export function adminSaleAnswer(sale: Sale, nowMs: number): AdminSaleAnswer {
  const { totalUnits, holdMs, version } = sale;
  return { ...saleAnswer(sale, nowMs), totalUnits, holdMs, version };
}
