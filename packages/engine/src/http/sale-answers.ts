/** A sale in the words of the wire. */
import type { AdminSaleAnswer, ListedSaleAnswer } from '@sluice/contract';
import type { Sale } from '../domain/sale/sale.ts';
import { phaseAt } from '../domain/sale/schedule.ts';

export function saleAnswer(sale: Sale, nowMs: number): ListedSaleAnswer {
  const { id, title, state, startsAtMs, endsAtMs, limitUnits } = sale;
  return { id, title, state, phase: phaseAt(sale, nowMs), startsAtMs, endsAtMs, limitUnits, serverTimeMs: nowMs };
}

export function adminSaleAnswer(sale: Sale, nowMs: number): AdminSaleAnswer {
  const { totalUnits, holdMs, version } = sale;
  return { ...saleAnswer(sale, nowMs), totalUnits, holdMs, version };
}
