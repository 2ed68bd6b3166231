/**
 * Reads what the tables of a sale say beside what its journal makes of them. Added up and compared by the database: no order
 * comes into memory but those that differ. Each statement is of one sale, and all see one moment, also while others write.
 */
import { type RawBuilder, sql } from 'kysely';
import type { QuotaKey } from '../../domain/inventory/quota.ts';
import { ORDER_STATES, placeOfOrder } from '../../domain/order/order.ts';
import type { RebuiltSale } from '../../domain/reconciliation/compare-rebuilt.ts';
import { balances } from './journal-balances.ts';
import { keptUnits } from './kept-units.ts';
import { type ScopeMembers, scopesOnce } from './limit-scopes.ts';
import { quotaOfRow } from './rows.ts';
import type { LedgerDatabase, LedgerTransaction, SaleTable } from './schema.ts';

/** Enough to see what is wrong; if all are wrong, nobody reads all of them. */
const MOST_WRONG = 20;

export function readRebuilt(db: LedgerDatabase): Promise<readonly RebuiltSale[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const sales = await trx.selectFrom('sales').selectAll().orderBy('id').execute();
      const rebuilt: RebuiltSale[] = [];
      for (const { sale, scope } of scopesOnce(sales)) rebuilt.push(await readSale(trx, sale, scope));
      return rebuilt;
    });
}

async function readSale(trx: LedgerTransaction, sale: SaleTable, scope: ScopeMembers | null): Promise<RebuiltSale> {
  const { id: saleId, total_units, free_units, allotted_units } = sale;
  const quotas = await trx.selectFrom('quotas').selectAll().where('sale_id', '=', saleId).execute();
  return {
    ...{ saleId, totalUnits: total_units, freeUnits: free_units, allottedUnits: allotted_units },
    quotas: quotas.map(quotaOfRow),
    openUnits: await openUnits(trx, saleId),
    journal: await balances(trx, saleId),
    wrongOrders: await wrongOrders(trx, saleId),
    wrongEvents: await wrongEvents(trx, saleId),
    wrongBuyers: scope ? await wrongBuyers(trx, scope) : [],
  };
}

async function openUnits(trx: LedgerTransaction, saleId: string): Promise<RebuiltSale['openUnits']> {
  const ofQuota = ['region', 'segment', 'channel'] as const;
  const moves = await trx
    .selectFrom('moves')
    .select([...ofQuota, (eb) => eb.fn.sum<number>('units').as('units')])
    .where('sale_id', '=', saleId)
    .where('state', '=', 'issued')
    .groupBy([...ofQuota])
    .execute();
  const releases = await trx
    .selectFrom('releases')
    .select([...ofQuota, (eb) => eb.fn.sum<number>('units').as('units')])
    .where('sale_id', '=', saleId)
    .where('state', '=', 'open')
    .where('destination', '=', 'quota')
    .groupBy([...ofQuota])
    .execute();
  return [...moves, ...releases].map(({ units, ...quota }) => ({ quota: { saleId, ...quota }, units: Number(units) }));
}

const statesIn = (place: 'held' | 'sold') =>
  sql.join(ORDER_STATES.filter((state) => placeOfOrder(state) === place).map((state) => sql.lit(state)));

/** What an entry brings into an account, or takes from it. */
const into = (account: 'held' | 'sold'): RawBuilder<number> => sql<number>`case
  when to_account = ${sql.lit(account)} then units when from_account = ${sql.lit(account)} then 0 - units else 0 end`;

async function wrongOrders(trx: LedgerTransaction, saleId: string): Promise<RebuiltSale['wrongOrders']> {
  const { rows } = await sql<Omit<QuotaKey, 'saleId'> & Record<'order_id', string> & Record<OrderSum, number>>`
    select order_id, region, segment, channel, sum(held) as held, sum(sold) as sold,
      sum(rebuilt_held) as rebuilt_held, sum(rebuilt_sold) as rebuilt_sold
    from (
      select order_id, region, segment, channel,
        case when state in (${statesIn('held')}) then units else 0 end as held,
        case when state in (${statesIn('sold')}) or ${keptUnits} then units else 0 end as sold,
        0 as rebuilt_held, 0 as rebuilt_sold
      from orders where sale_id = ${saleId}
      union all
      select cause_id as order_id, region, segment, channel, 0 as held, 0 as sold,
        ${into('held')} as rebuilt_held, ${into('sold')} as rebuilt_sold
      from journal where sale_id = ${saleId} and cause = 'order'
    ) as both_sides
    group by order_id, region, segment, channel
    having sum(held) <> sum(rebuilt_held) or sum(sold) <> sum(rebuilt_sold)
    order by order_id, channel limit ${sql.lit(MOST_WRONG)}`.execute(trx);
  return rows.map((row) => ({
    orderId: row.order_id,
    quota: { saleId, region: row.region, segment: row.segment, channel: row.channel },
    recorded: { held: Number(row.held), sold: Number(row.sold) },
    rebuilt: { held: Number(row.rebuilt_held), sold: Number(row.rebuilt_sold) },
  }));
}

type OrderSum = 'held' | 'sold' | 'rebuilt_held' | 'rebuilt_sold';

interface ToldRow {
  readonly order_id: string;
  readonly state: string;
  readonly buyer_id: string;
  readonly units: number;
  readonly told_state: string | null;
  readonly told_buyer_id: string | null;
  readonly told_units: number | null;
}

/** Every change of an order's state is an event that names the state it came into. */
async function wrongEvents(trx: LedgerTransaction, saleId: string): Promise<RebuiltSale['wrongEvents']> {
  const { rows } = await sql<ToldRow>`
    select o.order_id, o.state, o.buyer_id, o.units,
      e.state as told_state, e.buyer_id as told_buyer_id, e.units as told_units
    from orders o left join order_events e on e.order_id = o.order_id
      and e.id = (select max(later.id) from order_events later where later.order_id = o.order_id)
    where o.sale_id = ${saleId}
      and (e.id is null or e.state <> o.state or e.buyer_id <> o.buyer_id or e.units <> o.units)
    order by o.order_id limit ${sql.lit(MOST_WRONG)}`.execute(trx);
  return rows.map((row) => ({
    orderId: row.order_id,
    recorded: `${row.state}, ${row.units} of ${row.buyer_id}`,
    told: row.told_state === null ? 'nothing' : `${row.told_state}, ${row.told_units} of ${row.told_buyer_id}`,
  }));
}

/** Whose an order is, its first event says: it was told once, when the order was settled. */
async function wrongBuyers(
  trx: LedgerTransaction,
  { name, saleIds }: ScopeMembers,
): Promise<RebuiltSale['wrongBuyers']> {
  const { rows } = await sql<{ buyer_id: string; recorded: number; rebuilt: number }>`
    select buyer_id, sum(recorded) as recorded, sum(rebuilt) as rebuilt
    from (
      select buyer_id, units as recorded, 0 as rebuilt from buyers where limit_scope = ${name}
      union all
      select e.buyer_id, 0 as recorded, j.units as rebuilt
      from (
        select cause_id, sum(${into('held')} + ${into('sold')}) as units
        from journal where sale_id in (${sql.join(saleIds)}) and cause = 'order' group by cause_id
      ) as j
      inner join order_events e on e.order_id = j.cause_id and e.type in ('order.settled', 'order.refused')
    ) as both_sides
    group by buyer_id having sum(recorded) <> sum(rebuilt)
    order by buyer_id limit ${sql.lit(MOST_WRONG)}`.execute(trx);
  return rows.map((row) => ({
    ...{ buyerId: row.buyer_id, recordedUnits: Number(row.recorded), rebuiltUnits: Number(row.rebuilt) },
  }));
}
