/** Creates a sale as a draft, its stock received at the centre, its quotas empty. */
import { HOME_REGION, MAIN_CHANNEL, ONLY_SEGMENT } from '../domain/inventory/quota.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { CreateSaleResult, Sales } from '../ports/sales.ts';

/** One segment: a memory gate is one thread, and parts of it would only be smaller. */
export function createSale(sales: Sales, draft: SaleDraft): Promise<CreateSaleResult> {
  return sales.create(draft, [{ region: HOME_REGION, segment: ONLY_SEGMENT, channel: MAIN_CHANNEL }]);
}
