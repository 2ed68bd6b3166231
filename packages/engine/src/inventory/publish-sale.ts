/** Publishes a draft: from here on it is warmed up, and sells when its window opens. */
import type { SaleId } from '../domain/ids.ts';
import type { ChangeStateResult, Sales } from '../ports/sales.ts';
import { type KeepDeps, keepSale } from './keep-sale.ts';

/** Answers when the gate is loaded, or at least the ledger knows that it should be: the keeper finishes what is missing. */
export async function publishSale(
  deps: KeepDeps & { readonly sales: Sales },
  saleId: SaleId,
): Promise<ChangeStateResult> {
  const result = await deps.sales.changeState(saleId, 'live');
  if (result.kind === 'changed') await keepSale(deps, saleId);
  return result;
}
