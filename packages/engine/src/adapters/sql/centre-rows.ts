/** The rows of centre and quotas that units move between. */
import type { SaleId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { type QuotaKey, quotaName } from '../../domain/inventory/quota.ts';
import { quotaColumns } from './rows.ts';
import type { SaleTable } from './schema.ts';
import type { Reader } from './settlement-view.ts';

export function lockSale(
  { trx, dialect }: Pick<Reader, 'trx' | 'dialect'>,
  saleId: SaleId,
): Promise<SaleTable | undefined> {
  return trx
    .selectFrom('sales')
    .selectAll()
    .where('id', '=', saleId)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
}

/** The sale's free and allotted follow by trigger. */
export async function addToAllotted({ trx }: Reader, key: QuotaKey, units: number): Promise<void> {
  const { sale_id, region, segment, channel } = quotaColumns(key);
  const { numUpdatedRows } = await trx
    .updateTable('quotas')
    .set((eb) => ({ allotted_units: eb('allotted_units', '+', units) }))
    .where('sale_id', '=', sale_id)
    .where('region', '=', region)
    .where('segment', '=', segment)
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();
  invariant(numUpdatedRows === 1n, `quota ${quotaName(key)} is in the ledger`);
}
