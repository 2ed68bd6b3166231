/** Creates a sale as a draft, its stock received at the centre, its quotas empty. */
import { HOME_REGION, MAIN_CHANNEL, ONLY_SEGMENT } from '../domain/inventory/quota.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { CreateSaleResult, Sales } from '../ports/sales.ts';

export interface CreateSaleDeps {
  readonly sales: Sales;
  /** Who sells for points must be able to take them. */
  readonly hasWallet: boolean;
}

export type CreateSaleAnswer = CreateSaleResult | { readonly kind: 'no_wallet' };

/** One segment: a memory gate is one thread, and parts of it would only be smaller. */
export async function createSale(deps: CreateSaleDeps, draft: SaleDraft): Promise<CreateSaleAnswer> {
  if (draft.offer.kind === 'exchange' && !deps.hasWallet) return { kind: 'no_wallet' };
  return deps.sales.create(draft, [{ region: HOME_REGION, segment: ONLY_SEGMENT, channel: MAIN_CHANNEL }]);
}
