/** A sale in the words of the wire. */
import type { AdminSaleAnswer, ListedSaleAnswer } from '@sluice/contract';
import type { Sale } from '../domain/sale/sale.ts';
import { phaseAt } from '../domain/sale/schedule.ts';
import { showIn } from '../domain/sale/zoned-time.ts';

export function saleAnswer(sale: Sale, nowMs: number): ListedSaleAnswer {
  const { id, title, state, offer, startsAtMs, endsAtMs, timeZone, limitUnits, limitGroup = null } = sale;
  const { kind, items, price } = offer;
  const { startsAt, endsAt } = windowTexts(sale);
  // Nothing is sold in it any more, whatever the clock says of its window.
  const phase = state === 'closed' || state === 'settled' ? 'over' : phaseAt(sale, nowMs);
  return {
    ...{ id, title, state, phase, kind, items: [...items], price },
    ...{ startsAtMs, endsAtMs, timeZone, startsAt, endsAt, limitUnits, limitGroup, serverTimeMs: nowMs },
  };
}

interface WindowTexts {
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Of sales that are read again and again: two dates in words cost more than the rest of the answer. */
const textsOf = new WeakMap<Sale, WindowTexts>();

function windowTexts(sale: Sale): WindowTexts {
  const known = textsOf.get(sale);
  if (known) return known;
  const { timeZone, startsAtMs, endsAtMs } = sale;
  const texts = { startsAt: showIn(timeZone, startsAtMs), endsAt: showIn(timeZone, endsAtMs) };
  textsOf.set(sale, texts);
  return texts;
}

export function adminSaleAnswer(sale: Sale, nowMs: number): AdminSaleAnswer {
  const { totalUnits, holdMs, segments, version } = sale;
  const answer = saleAnswer(sale, nowMs);
  const phase = sale.state === 'draft' ? 'draft' : answer.phase;
  return { ...answer, phase, totalUnits, holdMs, segments, version };
}
