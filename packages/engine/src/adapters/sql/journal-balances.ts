/** The accounts of a sale and its quotas, added up from the journal by the database. */
import type { AccountBalance } from '../../domain/reconciliation/compare-books.ts';
import type { LedgerTransaction } from './schema.ts';

export async function balances(trx: LedgerTransaction, saleId: string): Promise<readonly AccountBalance[]> {
  return [...(await oneSide(trx, saleId, 'to_account')), ...(await oneSide(trx, saleId, 'from_account'))];
}

/** What came into each account, or what left it, which is less than nothing. */
async function oneSide(
  trx: LedgerTransaction,
  saleId: string,
  side: 'to_account' | 'from_account',
): Promise<readonly AccountBalance[]> {
  const rows = await trx
    .selectFrom('journal')
    .select(['region', 'segment', 'channel', `${side} as account`, (eb) => eb.fn.sum<number>('units').as('units')])
    .where('sale_id', '=', saleId)
    .groupBy(['region', 'segment', 'channel', side])
    .execute();
  return rows.map(({ region, segment, channel, account, units }) => ({
    quota: region === null || segment === null || channel === null ? null : { saleId, region, segment, channel },
    account,
    units: side === 'to_account' ? Number(units) : 0 - Number(units),
  }));
}
