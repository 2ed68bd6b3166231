/** The statements that a settlement repeats: for each of its claims, or for each group. */

import { type Expression, sql } from 'kysely';
import type { OrderId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import type { Entry } from '../../domain/ledger/entry.ts';
import type { Release } from '../../domain/ledger/release.ts';
import type { Charge } from '../../domain/order/charge.ts';
import { type Claim, claimId } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import type { OrderEvent } from '../../domain/order/order-event.ts';
import type { Payment } from '../../domain/order/payment.ts';
import { compiledOnce, createSizedInsert, createSizedLookUp } from './compiled-statements.ts';
import type { SqlDialect } from './dialect.ts';
import { claimOfRow, paymentOfRow } from './rows.ts';
import type {
  BuyerTable,
  ClaimColumns,
  LedgerDatabase,
  LedgerTransaction,
  OrderTable,
  ParkedCancelTable,
  PaymentTable,
  QuarantineTable,
  QuotaColumns,
  SaleTable,
  SegmentColumns,
} from './schema.ts';

const CLAIM = ['order_id', 'sale_id', 'buyer_id', 'units', 'region', 'segment', 'channel', 'epoch', 'seq'] as const;

const OPEN_PAYMENT = ['parked', 'reclaiming'] as const;

/** In the order of CLAIM. */
function claimValues({ orderId, saleId, buyerId, units, origin }: Claim): readonly unknown[] {
  return [orderId, saleId, buyerId, units, origin.region, origin.segment, origin.channel, origin.epoch, origin.seq];
}

const BUYER = ['limit_scope', 'buyer_id', 'limit_units', 'units'] as const;

function buyerValues(row: BuyerTable): readonly unknown[] {
  return [row.limit_scope, row.buyer_id, row.limit_units, row.units];
}

export type Statements = ReturnType<typeof createStatements>;

export function createStatements(db: LedgerDatabase, dialect: SqlDialect) {
  const sizedLookUp = createSizedLookUp(dialect);
  return {
    ...createInserts(db, dialect),
    ...createUpserts(db, dialect),
    ...createLookUps(db, dialect),
    ...createWaitingLookUps(db, dialect),
    ...createSteps(db),

    salesNamed: sizedLookUp<SaleTable>((among) => db.selectFrom('sales').selectAll().where(among('id'))),

    /** In the order of their ids. */
    ordersLocked: sizedLookUp<OrderTable>((among) =>
      db
        .selectFrom('orders')
        .selectAll()
        .where(among('order_id'))
        .orderBy('order_id')
        .$if(dialect.locksRows, (query) => query.forUpdate()),
    ),

    /** `before`: the limit scope. */
    buyersOf: sizedLookUp<Pick<BuyerTable, 'buyer_id' | 'units'>>((among, limitScope) =>
      db
        .selectFrom('buyers')
        .select(['buyer_id', 'units'])
        .where('limit_scope', '=', limitScope)
        .where(among('buyer_id'))
        .orderBy('buyer_id')
        .$if(dialect.locksRows, (query) => query.forUpdate()),
    ),
  };
}

function createInserts(db: LedgerDatabase, dialect: SqlDialect) {
  const sizedInsert = createSizedInsert(db, dialect);
  return {
    insertOrders: sizedInsert<'orders', Order>({
      into: 'orders',
      columns: [...CLAIM, 'state', 'refusal', 'settled_at_ms', 'due_at_ms'],
      valuesOf: (order) => [...claimValues(order), order.state, order.refusal, order.settledAtMs, order.dueAtMs],
    }),

    insertReleases: sizedInsert<'releases', Release>({
      into: 'releases',
      columns: ['id', ...CLAIM, 'release_epoch', 'state', 'destination'],
      valuesOf: (release) => [release.id, ...claimValues(release), release.epoch, 'open', release.destination],
    }),

    insertEntries: sizedInsert<'journal', Entry>({
      into: 'journal',
      isNumbered: true,
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
    }),

    insertEvents: sizedInsert<'order_events', OrderEvent>({
      into: 'order_events',
      isNumbered: true,
      columns: ['order_id', 'sale_id', 'buyer_id', 'type', 'units', 'state', 'at_ms', 'reference', 'amount'],
      valuesOf: ({ orderId, saleId, buyerId, type, units, state, atMs, reference, amount }) => [
        ...[orderId, saleId, buyerId, type, units, state, atMs, reference, amount],
      ],
    }),
  };
}

function createUpserts(db: LedgerDatabase, dialect: SqlDialect) {
  const sizedInsert = createSizedInsert(db, dialect);
  const isMysql = dialect.upsert === 'on duplicate key';
  return {
    /** Writes payments; of one that is there already the state. One that is there for another order is not written. */
    putPayments: sizedInsert<'payments', Payment>({
      into: 'payments',
      isNumbered: true,
      columns: ['reference', 'outcome', 'order_id', 'amount', 'state'],
      valuesOf: ({ reference, outcome, orderId, amount, state }) => [reference, outcome, orderId, amount, state],
      finish: (insert) => {
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
    putCharges: sizedInsert<'charges', Charge>({
      into: 'charges',
      columns: ['order_id', 'points', 'state'],
      valuesOf: ({ orderId, points, state }) => [orderId, points, state],
      finish: (insert) => {
        if (isMysql) return insert.onDuplicateKeyUpdate({ state: sql`values(state)` });
        return insert.onConflict((conflict) =>
          conflict.column('order_id').doUpdateSet((eb) => ({ state: eb.ref('excluded.state') })),
        );
      },
    }),

    /** Adds units to buyers that exist and creates those that do not. */
    addToBuyers: sizedInsert<'buyers', BuyerTable>({
      into: 'buyers',
      columns: BUYER,
      valuesOf: buyerValues,
      finish: (insert) => {
        if (isMysql) return insert.onDuplicateKeyUpdate({ units: sql`buyers.units + values(units)` });
        return insert.onConflict((conflict) =>
          conflict
            .columns(['limit_scope', 'buyer_id'])
            .doUpdateSet((eb) => ({ units: eb('buyers.units', '+', eb.ref('excluded.units')) })),
        );
      },
    }),

    /** Creates those that do not exist. Of two that create the same one waits for the other, and then finds it. */
    introduceBuyers: sizedInsert<'buyers', BuyerTable>({
      into: 'buyers',
      columns: BUYER,
      valuesOf: buyerValues,
      finish: (insert) => {
        if (isMysql) return insert.onDuplicateKeyUpdate({ units: sql`buyers.units` });
        return insert.onConflict((conflict) => conflict.doNothing());
      },
    }),

    /** What is set aside already stays as it is. */
    setAside: sizedInsert<'quarantine', QuarantineTable>({
      into: 'quarantine',
      columns: ['id', 'sale_id', 'claim', 'quarantined_units', 'reason'],
      valuesOf: (row) => [row.id, row.sale_id, row.claim, row.quarantined_units, row.reason],
      finish: (insert) => {
        if (isMysql) return insert.onDuplicateKeyUpdate({ id: sql`quarantine.id` });
        return insert.onConflict((conflict) => conflict.doNothing());
      },
    }),

    /** A wish to cancel that is there already stays as it is. */
    parkCancel: sizedInsert<'parked_cancels', ParkedCancelTable>({
      into: 'parked_cancels',
      columns: ['order_id', 'buyer_id'],
      valuesOf: ({ order_id, buyer_id }) => [order_id, buyer_id],
      finish: (insert) => {
        if (isMysql) return insert.onDuplicateKeyUpdate({ order_id: sql`parked_cancels.order_id` });
        return insert.onConflict((conflict) => conflict.doNothing());
      },
    }),
  };
}

/** Updates of one row. */
function createSteps(db: LedgerDatabase) {
  return {
    settleThrough: compiledOnce<SegmentColumns & { readonly throughEpoch: number; readonly throughSeq: number }>(
      (slots) =>
        db
          .updateTable('segments')
          .set({ settled_epoch: slots.throughEpoch, settled_seq: slots.throughSeq })
          .where('sale_id', '=', slots.sale_id)
          .where('region', '=', slots.region)
          .where('segment', '=', slots.segment),
    ),

    /** Does not name `allotted_units`: a trigger follows that, and a settlement of a live sale must not touch the sale's row. */
    addToHeldAndSold: compiledOnce<QuotaColumns & { readonly heldUnits: number; readonly soldUnits: number }>((slots) =>
      db
        .updateTable('quotas')
        .set((eb) => ({
          held_units: eb('held_units', '+', slots.heldUnits),
          sold_units: eb('sold_units', '+', slots.soldUnits),
        }))
        .where('sale_id', '=', slots.sale_id)
        .where('region', '=', slots.region)
        .where('segment', '=', slots.segment)
        .where('channel', '=', slots.channel),
    ),
  };
}

/** What a settlement meets seldom. A 1 tells that there is any at all, and only then it is looked for. */
export interface Surroundings {
  /** The database's clock. */
  readonly now_ms: number;
  readonly open_payments: 0 | 1;
  readonly parked_cancels: 0 | 1;
  readonly quarantine: 0 | 1;
}

/** What waits for an order: hardly any has something, and 500 look-ups for nothing are 2 % of a settlement. */
function createWaitingLookUps(db: LedgerDatabase, dialect: SqlDialect) {
  const sizedLookUp = createSizedLookUp(dialect);
  const paymentsOf = sizedLookUp<PaymentTable>((among) =>
    db.selectFrom('payments').selectAll().where(among('order_id')).orderBy('id'),
  );
  const cancelsOf = sizedLookUp<ParkedCancelTable>((among) =>
    db.selectFrom('parked_cancels').selectAll().where(among('order_id')),
  );
  const surroundings = compiledOnce<object, Surroundings>(() => {
    const any = (query: Expression<unknown>) => sql<0 | 1>`case when exists ${query} then 1 else 0 end`;
    return db.selectNoFrom([
      dialect.nowMs.as('now_ms'),
      any(db.selectFrom('payments').select('id').where('state', 'in', OPEN_PAYMENT)).as('open_payments'),
      any(db.selectFrom('parked_cancels').select('order_id')).as('parked_cancels'),
      any(db.selectFrom('quarantine').select('id')).as('quarantine'),
    ]);
  });

  return {
    async surroundings(executor: LedgerTransaction): Promise<Surroundings> {
      const [row] = (await surroundings(executor, {})).rows;
      invariant(row, 'a select without a table has one row');
      return row;
    },

    /** Payments of these orders that have not had their effect yet, oldest first. */
    async openPaymentsOf(executor: LedgerTransaction, orderIds: readonly OrderId[]): Promise<readonly Payment[]> {
      const payments = (await paymentsOf(executor, orderIds)).map(paymentOfRow);
      return payments.filter(({ state }) => OPEN_PAYMENT.some((open) => open === state));
    },

    /** Who wished to cancel these orders before they were settled. */
    async parkedCancelsOf(executor: LedgerTransaction, orderIds: readonly OrderId[]) {
      const rows = await cancelsOf(executor, orderIds);
      return new Map(rows.map((row) => [row.order_id, row.buyer_id]));
    },
  };
}

function createLookUps(db: LedgerDatabase, dialect: SqlDialect) {
  const sizedLookUp = createSizedLookUp(dialect);
  const releasesNamed = sizedLookUp((among) => db.selectFrom('releases').select('id').where(among('id')));
  const quarantineNamed = sizedLookUp((among) => db.selectFrom('quarantine').select('id').where(among('id')));
  const claimsOfOrders = sizedLookUp<ClaimColumns>((among) =>
    db.selectFrom('orders').select(CLAIM).where(among('order_id')),
  );
  const ordersNamed = sizedLookUp<OrderTable>((among) => db.selectFrom('orders').selectAll().where(among('order_id')));

  /**
   * Ids of the claims that are released. `orders`: by id, those that exist among the claims' orders: a released claim has an
   * order of its id, if of another origin, since a release follows an order, by its foreign key.
   */
  async function releasedAmong(
    executor: LedgerTransaction,
    claims: readonly Claim[],
    orders: { has(orderId: string): boolean },
  ): Promise<readonly string[]> {
    const ordered = claims.filter((claim) => orders.has(claim.orderId));
    return (await releasesNamed(executor, ordered.map(claimId))).map((row) => row.id);
  }

  async function quarantinedAmong(executor: LedgerTransaction, claims: readonly Claim[]): Promise<readonly string[]> {
    return (await quarantineNamed(executor, claims.map(claimId))).map((row) => row.id);
  }

  return {
    ordersNamed,

    releasedAmong,
    /** Of these claims, the ids of those in quarantine. */
    quarantinedAmong,

    /** Claim ids that the ledger has as an order of the same origin, a release, or in quarantine. */
    async knownAmong(executor: LedgerTransaction, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
      const rows = await claimsOfOrders(executor, [...new Set(claims.map((claim) => claim.orderId))]);
      const orders = new Map(rows.map((row) => [row.order_id, claimId(claimOfRow(row))]));
      const closed = [await releasedAmong(executor, claims, orders), await quarantinedAmong(executor, claims)];
      const known = new Set(closed.flat());
      for (const claim of claims) {
        const id = claimId(claim);
        if (orders.get(claim.orderId) === id) known.add(id);
      }
      return known;
    },
  };
}
