/** The sale that a first start opens, so that there is something to buy. */
import type { Sale, SaleDraft } from '../domain/sale/sale.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sales } from '../ports/sales.ts';
import type { Engine } from './build-engine.ts';

const SAMPLE_SALE_ID = 'starter-skin';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** On an empty ledger only. Null when the operator's own sales are there instead. */
export async function openSampleSale(engine: Engine, sales: Sales, clock: Clock): Promise<Sale | null> {
  if ((await sales.list()).length === 0) await engine.createSale(sampleAt(clock.nowMs()));
  const sale = await engine.showSale(SAMPLE_SALE_ID);
  // A draft: the start that created it was killed before it was published.
  if (sale?.state !== 'draft') return sale;
  const published = await engine.operateSale(SAMPLE_SALE_ID, 'publish');
  return published.kind === 'absent' ? null : published.sale;
}

function sampleAt(nowMs: number): SaleDraft {
  return {
    id: SAMPLE_SALE_ID,
    title: 'Starter skin',
    totalUnits: 500,
    limitUnits: 1,
    startsAtMs: nowMs,
    endsAtMs: nowMs + 30 * DAY_MS,
    holdMs: 15 * MINUTE_MS,
  };
}
