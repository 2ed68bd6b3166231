/** The bulk statements of the ledger: every one that a settlement repeats for each of its claims. */

import { sql } from 'kysely';
import type { OrderId } from '../../domain/ids.ts';
import type { Entry } from '../../domain/ledger/entry.ts';
import type { Release } from '../../domain/ledger/release.ts';
import type { Charge } from '../../domain/order/charge.ts';
import { type Claim, claimId } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import type { OrderEvent } from '../../domain/order/order-event.ts';
import type { Payment } from '../../domain/order/payment.ts';
import type { SqlDialect } from './dialect.ts';
import { claimOfRow, paymentOfRow } from './rows.ts';
import type {
  BuyerTable,
  ChargeTable,
  ClaimColumns,
  JournalTable,
  LedgerDatabase,
  LedgerTransaction,
  OrderEventTable,
  OrderTable,
  ParkedCancelTable,
  PaymentTable,
  ReleaseTable,
} from './schema.ts';
import { sizedInsert, sizedLookUp } from './sized-statements.ts';

const CLAIM = ['order_id', 'sale_id', 'buyer_id', 'units', 'region', 'segment', 'channel', 'epoch', 'seq'] as const;

/** In the order of CLAIM. */
function claimValues({ orderId, saleId, buyerId, units, origin }: Claim): readonly unknown[] {
  return [orderId, saleId, buyerId, units, origin.region, origin.segment, origin.channel, origin.epoch, origin.seq];
}

export type Statements = ReturnType<typeof createStatements>;

export function createStatements(db: LedgerDatabase, dialect: SqlDialect) {
  return {
    ...createInserts(db),
    ...createUpserts(db, dialect),
    ...createLookUps(db),
    ...createWaitingLookUps(db),

    /** In the order of their ids. */
    ordersLocked: sizedLookUp<OrderTable>((ids) =>
      db
        .selectFrom('orders')
        .selectAll()
        .where('order_id', 'in', ids)
        .orderBy('order_id')
        .$if(dialect.locksRows, (query) => query.forUpdate()),
    ),

    /** `before`: the sale's id. */
    buyersOf: sizedLookUp<Pick<BuyerTable, 'buyer_id' | 'units'>>((ids, saleId) =>
      db
        .selectFrom('buyers')
        .select(['buyer_id', 'units'])
        .where('sale_id', '=', saleId)
        .where('buyer_id', 'in', ids)
        .orderBy('buyer_id')
        .$if(dialect.locksRows, (query) => query.forUpdate()),
    ),
  };
}

function createInserts(db: LedgerDatabase) {
  return {
    insertOrders: sizedInsert<OrderTable, Order>({
      columns: [...CLAIM, 'state', 'refusal', 'settled_at_ms', 'due_at_ms'],
      valuesOf: (order) => [...claimValues(order), order.state, order.refusal, order.settledAtMs, order.dueAtMs],
      build: (rows) => db.insertInto('orders').values(rows),
    }),

    insertReleases: sizedInsert<ReleaseTable, Release>({
      columns: ['id', ...CLAIM, 'release_epoch', 'state', 'destination'],
      valuesOf: (release) => [release.id, ...claimValues(release), release.epoch, 'open', release.destination],
      build: (rows) => db.insertInto('releases').values(rows),
    }),

    insertEntries: sizedInsert<Omit<JournalTable, 'id'>, Entry>({
      columns: ['sale_id', 'region', 'segment', 'channel', 'from_account', 'to_account', 'units', 'cause', 'cause_id'],
      valuesOf: ({ saleId, quota, from, to, units, cause, causeId }) => [
        saleId,
        quota?.region ?? null,
        quota?.segment ?? null,
        quota?.channel ?? null,
        from,
        to,
        units,
        cause,
        causeId,
      ],
      build: (rows) => db.insertInto('journal').values(rows),
    }),

    insertEvents: sizedInsert<Omit<OrderEventTable, 'id' | 'handed_out_at_ms'>, OrderEvent>({
      columns: ['order_id', 'sale_id', 'buyer_id', 'type', 'units', 'state', 'at_ms'],
      valuesOf: ({ orderId, saleId, buyerId, type, units, state, atMs }) => [
        ...[orderId, saleId, buyerId, type, units, state, atMs],
      ],
      build: (rows) => db.insertInto('order_events').values(rows),
    }),
  };
}

function createUpserts(db: LedgerDatabase, { upsert }: SqlDialect) {
  const isMysql = upsert === 'on duplicate key';
  return {
    /** Writes payments; of one that is there already the state. One that is there for another order is not written. */
    putPayments: sizedInsert<Omit<PaymentTable, 'id'>, Payment>({
      columns: ['reference', 'outcome', 'order_id', 'amount', 'state'],
      valuesOf: ({ reference, outcome, orderId, amount, state }) => [reference, outcome, orderId, amount, state],
      build: (rows) => {
        const insert = db.insertInto('payments').values(rows);
        // No count tells there whether the row was another order's: such a row is refused by the column.
        if (isMysql) {
          const order_id = sql<string>`if(order_id = values(order_id), order_id, null)`;
          return insert.onDuplicateKeyUpdate({ order_id, state: sql`values(state)` });
        }
        return insert.onConflict((conflict) =>
          conflict
            .columns(['reference', 'outcome'])
            .doUpdateSet((eb) => ({ state: eb.ref('excluded.state') }))
            .whereRef('payments.order_id', '=', 'excluded.order_id'),
        );
      },
    }),

    /** Writes charges; of one that is there already the state. */
    putCharges: sizedInsert<ChargeTable, Charge>({
      columns: ['order_id', 'points', 'state'],
      valuesOf: ({ orderId, points, state }) => [orderId, points, state],
      build: (rows) => {
        const insert = db.insertInto('charges').values(rows);
        if (isMysql) return insert.onDuplicateKeyUpdate({ state: sql`values(state)` });
        return insert.onConflict((conflict) =>
          conflict.column('order_id').doUpdateSet((eb) => ({ state: eb.ref('excluded.state') })),
        );
      },
    }),

    /** Adds units to buyers that exist and creates those that do not. */
    addToBuyers: sizedInsert<BuyerTable, BuyerTable>({
      columns: ['sale_id', 'buyer_id', 'limit_units', 'units'],
      valuesOf: (row) => [row.sale_id, row.buyer_id, row.limit_units, row.units],
      build: (rows) => {
        const insert = db.insertInto('buyers').values(rows);
        if (isMysql) return insert.onDuplicateKeyUpdate({ units: sql`buyers.units + values(units)` });
        return insert.onConflict((conflict) =>
          conflict
            .columns(['sale_id', 'buyer_id'])
            .doUpdateSet((eb) => ({ units: eb('buyers.units', '+', eb.ref('excluded.units')) })),
        );
      },
    }),

    /** A wish to cancel that is there already stays as it is. */
    parkCancel: sizedInsert<ParkedCancelTable, ParkedCancelTable>({
      columns: ['order_id', 'buyer_id'],
      valuesOf: ({ order_id, buyer_id }) => [order_id, buyer_id],
      build: (rows) => {
        const insert = db.insertInto('parked_cancels').values(rows);
        if (isMysql) return insert.onDuplicateKeyUpdate({ order_id: sql`parked_cancels.order_id` });
        return insert.onConflict((conflict) => conflict.doNothing());
      },
    }),
  };
}

/** What waits for an order: hardly any has something, and 500 look-ups for nothing are 2 % of a settlement. */
function createWaitingLookUps(db: LedgerDatabase) {
  const paymentsOf = sizedLookUp<PaymentTable>((ids) =>
    db.selectFrom('payments').selectAll().where('order_id', 'in', ids).orderBy('id'),
  );
  const cancelsOf = sizedLookUp<ParkedCancelTable>((ids) =>
    db.selectFrom('parked_cancels').selectAll().where('order_id', 'in', ids),
  );

  return {
    /** Payments of these orders that have not had their effect yet, oldest first. */
    async openPaymentsOf(executor: LedgerTransaction, orderIds: readonly OrderId[]): Promise<readonly Payment[]> {
      const any = await executor
        .selectFrom('payments')
        .select('id')
        .where('state', 'in', ['parked', 'reclaiming'])
        .limit(1)
        .executeTakeFirst();
      const rows = any ? await paymentsOf(executor, orderIds) : [];
      return rows.map(paymentOfRow).filter(({ state }) => state === 'parked' || state === 'reclaiming');
    },

    /** Who wished to cancel these orders before they were settled. */
    async parkedCancelsOf(executor: LedgerTransaction, orderIds: readonly OrderId[]) {
      const any = await executor.selectFrom('parked_cancels').select('order_id').limit(1).executeTakeFirst();
      const rows = any ? await cancelsOf(executor, orderIds) : [];
      return new Map(rows.map((row) => [row.order_id, row.buyer_id]));
    },
  };
}

function createLookUps(db: LedgerDatabase) {
  const releasesNamed = sizedLookUp((ids) => db.selectFrom('releases').select('id').where('id', 'in', ids));
  const quarantineNamed = sizedLookUp((ids) => db.selectFrom('quarantine').select('id').where('id', 'in', ids));
  const claimsOfOrders = sizedLookUp<ClaimColumns>((ids) =>
    db.selectFrom('orders').select(CLAIM).where('order_id', 'in', ids),
  );
  const ordersNamed = sizedLookUp<OrderTable>((ids) =>
    db.selectFrom('orders').selectAll().where('order_id', 'in', ids),
  );

  /** Of these claims, the ids of those in quarantine. */
  async function quarantinedAmong(executor: LedgerTransaction, claims: readonly Claim[]): Promise<readonly string[]> {
    const saleIds = [...new Set(claims.map((claim) => claim.saleId))];
    if (saleIds.length === 0) return [];
    // Hardly any sale has one; 500 look-ups for nothing are 2 % of a settlement.
    const any = await executor
      .selectFrom('quarantine')
      .select('id')
      .where('sale_id', 'in', saleIds)
      .limit(1)
      .executeTakeFirst();
    return any ? (await quarantineNamed(executor, claims.map(claimId))).map((row) => row.id) : [];
  }

  /** A released claim has an order of its id, if of another origin: a release follows an order, by its foreign key. */
  async function closedAmong(
    executor: LedgerTransaction,
    claims: readonly Claim[],
    orders: { has(orderId: string): boolean },
  ): Promise<ReadonlySet<string>> {
    const ordered = claims.filter((claim) => orders.has(claim.orderId));
    const released = await releasesNamed(executor, ordered.map(claimId));
    return new Set([...released.map((row) => row.id), ...(await quarantinedAmong(executor, claims))]);
  }

  return {
    ordersNamed,

    /** Ids of the claims that are released or in quarantine. `orders`: by id, those that exist among the claims' orders. */
    closedAmong,

    /** Claim ids that the ledger has as an order of the same origin, a release, or in quarantine. */
    async knownAmong(executor: LedgerTransaction, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
      const rows = await claimsOfOrders(executor, [...new Set(claims.map((claim) => claim.orderId))]);
      const orders = new Map(rows.map((row) => [row.order_id, claimId(claimOfRow(row))]));
      const known = new Set(await closedAmong(executor, claims, orders));
      for (const claim of claims) {
        const id = claimId(claim);
        if (orders.get(claim.orderId) === id) known.add(id);
      }
      return known;
    },
  };
}
