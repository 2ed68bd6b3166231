/** Creates a sale as a draft, its stock received at the centre, its quotas empty: one in each segment. */
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { defaultSegments } from '../domain/inventory/segment-of-buyer.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { CreateSaleResult, Sales } from '../ports/sales.ts';

export interface CreateSaleDeps {
  readonly sales: Sales;
  /** Who sells for points must be able to take them. */
  readonly hasWallet: boolean;
  /** Of a sale that does not say; when not given, by its stock and the gate. */
  readonly saleSegments?: number;
  readonly isGateShared?: boolean;
}

export interface SaleWish extends Omit<SaleDraft, 'segments'> {
  readonly segments?: number;
}

export type CreateSaleAnswer = CreateSaleResult | { readonly kind: 'no_wallet' };

export async function createSale(deps: CreateSaleDeps, wish: SaleWish): Promise<CreateSaleAnswer> {
  if (wish.offer.kind === 'exchange' && !deps.hasWallet) return { kind: 'no_wallet' };
  const segments = wish.segments ?? deps.saleSegments ?? defaultSegments(wish, deps.isGateShared ?? false);
  const quotas = Array.from({ length: segments }, (_, segment) => ({
    ...{ region: HOME_REGION, segment, channel: MAIN_CHANNEL },
  }));
  return deps.sales.create({ ...wish, segments }, quotas);
}
