/**
 * Looks whether a sale is in a condition that its operator is told of, or has left one: see domain/sale/decide-notice. One look
 * costs nothing that was not read already, unless something has changed.
 */
import type { SaleId } from '../domain/ids.ts';
import { isSoldOut } from '../domain/sale/decide-notice.ts';
import type { Stock } from '../ports/inventory-centre.ts';
import type { Sales } from '../ports/sales.ts';
import { type ReadPlacesDeps, readPlaces } from './read-places.ts';

export interface TellDeps extends ReadPlacesDeps {
  readonly sales: Pick<Sales, 'notice'>;
}

export async function tellSoldOut({ sales }: Pick<TellDeps, 'sales'>, stock: Stock): Promise<void> {
  const { sale, quotas, told } = stock;
  if (isSoldOut(sale.totalUnits, quotas) === told.soldOut) return;
  await sales.notice(sale.id, { condition: 'soldOut' });
}

/** Where units keep moving, or a gate cannot be read, nothing is said. */
export async function tellUnbalanced(deps: TellDeps, saleId: SaleId): Promise<void> {
  const result = await readPlaces(deps, saleId);
  if (result.kind !== 'read' || !result.reading.isStill) return;
  const { isBalanced, surplusUnits } = result.reading;
  if (isBalanced === !result.stock.told.unbalanced) return;
  await deps.sales.notice(saleId, { condition: 'unbalanced', surplusUnits });
}
