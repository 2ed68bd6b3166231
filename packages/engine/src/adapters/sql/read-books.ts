/** Reads what the ledger has written down of every sale, added up by the database: no order comes into memory. */
import { sql } from 'kysely';
import { isLive, ORDER_STATES, placeOfOrder } from '../../domain/order/order.ts';
import type { BuyerUnits, OrderUnits, SaleBooks } from '../../domain/reconciliation/compare-books.ts';
import { balances } from './journal-balances.ts';
import { keptUnits } from './kept-units.ts';
import { type ScopeMembers, scopesOnce } from './limit-scopes.ts';
import { quotaOfRow } from './rows.ts';
import type { LedgerDatabase, LedgerTransaction } from './schema.ts';

/** Enough to see what is wrong; if all are wrong, nobody reads all of them. */
const MOST_WRONG_BUYERS = 20;

/** At one moment, also while others write. */
export function readBooks(db: LedgerDatabase): Promise<readonly SaleBooks[]> {
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  return transaction.execute(async (trx) => {
    const sales = await trx.selectFrom('sales').selectAll().orderBy('id').execute();
    const books: SaleBooks[] = [];
    for (const { sale, scope } of scopesOnce(sales)) {
      const { id, total_units, free_units, allotted_units } = sale;
      const quotas = await trx.selectFrom('quotas').selectAll().where('sale_id', '=', id).execute();
      books.push({
        ...{ saleId: id, totalUnits: total_units, freeUnits: free_units, allottedUnits: allotted_units },
        quotas: quotas.map(quotaOfRow),
        orders: await orderUnits(trx, id),
        quarantinedUnits: await quarantinedUnits(trx, id),
        journal: await balances(trx, id),
        wrongBuyers: scope ? await wrongBuyers(trx, scope) : [],
      });
    }
    return books;
  });
}

async function orderUnits(trx: LedgerTransaction, saleId: string): Promise<readonly OrderUnits[]> {
  const rows = await trx
    .selectFrom('orders')
    .select(['region', 'segment', 'channel', 'state', (eb) => eb.fn.sum<number>('units').as('units')])
    .where('sale_id', '=', saleId)
    .groupBy(['region', 'segment', 'channel', 'state'])
    .execute();
  const kept = await trx
    .selectFrom('orders')
    .select(['region', 'segment', 'channel', (eb) => eb.fn.sum<number>('units').as('units')])
    .where('sale_id', '=', saleId)
    .where(keptUnits)
    .groupBy(['region', 'segment', 'channel'])
    .execute();
  const placed = rows.map(({ state, ...row }) => ({ ...row, place: placeOfOrder(state) }));
  const all = [...placed, ...kept.map((row) => ({ ...row, place: 'sold' as const }))];
  return all.flatMap(({ place, units, ...quota }): readonly OrderUnits[] => {
    if (place !== 'held' && place !== 'sold') return [];
    return [{ quota: { saleId, ...quota }, place, units: Number(units) }];
  });
}

async function quarantinedUnits(trx: LedgerTransaction, saleId: string): Promise<number> {
  const { units } = await trx
    .selectFrom('quarantine')
    .select((eb) => eb.fn.sum<number | null>('quarantined_units').as('units'))
    .where('sale_id', '=', saleId)
    .executeTakeFirstOrThrow();
  return Number(units ?? 0);
}

async function wrongBuyers(
  trx: LedgerTransaction,
  { name: scope, saleIds }: ScopeMembers,
): Promise<readonly BuyerUnits[]> {
  const live = ORDER_STATES.filter(isLive);
  const ordered = trx
    .selectFrom('orders')
    .select(['buyer_id', (eb) => eb.fn.sum<number>('units').as('ordered_units')])
    .where('sale_id', 'in', saleIds)
    .where((eb) => eb.or([eb('state', 'in', live), keptUnits]))
    .groupBy('buyer_id')
    .as('ordered');
  const rows = await trx
    .selectFrom('buyers')
    .leftJoin(ordered, 'ordered.buyer_id', 'buyers.buyer_id')
    .select(['buyers.buyer_id', 'buyers.units', 'ordered.ordered_units'])
    .where('buyers.limit_scope', '=', scope)
    .where(sql<boolean>`buyers.units <> coalesce(ordered.ordered_units, 0)`)
    .orderBy('buyers.buyer_id')
    .limit(MOST_WRONG_BUYERS)
    .execute();
  return rows.map((row) => ({
    ...{ buyerId: row.buyer_id, recordedUnits: row.units, orderedUnits: Number(row.ordered_units ?? 0) },
  }));
}
