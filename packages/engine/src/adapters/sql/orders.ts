/** Orders in SQL: one transaction for each call; what it touches is read and locked, the decision is asked, and applied. */
import type { ExpressionBuilder } from 'kysely';
import type { OrderId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { type LedgerChanges, noChanges } from '../../domain/ledger/changes.ts';
import { decideCloseCharge, decideGiveUpCharge } from '../../domain/ledger/decide-charge.ts';
import { decideCancel, decideExpiry } from '../../domain/ledger/decide-end.ts';
import { decideFulfilment } from '../../domain/ledger/decide-fulfilment.ts';
import { decidePayment, refundedBy } from '../../domain/ledger/decide-payment.ts';
import { decideGiveUp } from '../../domain/ledger/decide-reclaim.ts';
import { walletReference } from '../../domain/order/charge.ts';
import type { Order } from '../../domain/order/order.ts';
import { type OrderCursor, writeCursor } from '../../domain/order/order-cursor.ts';
import type { PaymentNotice, PaymentOutcome } from '../../domain/order/payment.ts';
import { amountDueOf } from '../../domain/sale/offer.ts';
import type { OrderFilter, Orders } from '../../ports/orders.ts';
import type { SqlContext } from './context.ts';
import { lockOrder, lockOrders } from './lock-orders.ts';
import { chargeOfRow, orderEventOfRow, orderOfRow, paymentOfRow, saleOf } from './rows.ts';
import type { LedgerTables } from './schema.ts';
import { type Reader, readNowMs } from './settlement-view.ts';
import { writeChanges } from './write-changes.ts';

export function createSqlOrders({ db, dialect, statements }: SqlContext): Orders {
  const inTransaction = <Answer>(work: (reader: Reader) => Promise<Answer>): Promise<Answer> =>
    db.transaction().execute((trx) => work({ trx, dialect, statements }));

  return {
    async find(orderId) {
      const row = await db.selectFrom('orders').selectAll().where('order_id', '=', orderId).executeTakeFirst();
      return row ? orderOfRow(row) : null;
    },

    findMany: (orderIds) =>
      inTransaction(async ({ trx }) => (await statements.ordersNamed(trx, orderIds)).map(orderOfRow)),

    async list(filter, cursor, max) {
      const rows = await db
        .selectFrom('orders')
        .selectAll()
        .where((eb) => matches(eb, filter, cursor))
        .orderBy('settled_at_ms')
        .orderBy('order_id')
        // One more than asked for tells whether there is a next page.
        .limit(max + 1)
        .execute();
      const orders = rows.slice(0, max).map(orderOfRow);
      const last = orders.at(-1);
      return { orders, next: rows.length > max && last ? writeCursor(last) : null };
    },

    async history(orderId) {
      const rows = await db
        .selectFrom('order_events')
        .selectAll()
        .where('order_id', '=', orderId)
        .orderBy('id')
        .execute();
      return rows.map(orderEventOfRow);
    },

    async payments(orderId) {
      const rows = await db.selectFrom('payments').selectAll().where('order_id', '=', orderId).orderBy('id').execute();
      return rows.map(paymentOfRow);
    },

    notePayment: (notice) =>
      inTransaction(async (reader) => {
        const { order, facts } = await orderOrNull(reader, notice.orderId);
        const known = await paymentNamed(reader, notice.reference, notice.outcome);
        const refunded = notice.outcome === 'refunded' ? await readRefunded(reader, notice) : null;
        const priced = await readPriced(reader, notice.orderId, order);
        const changes = noChanges();
        const answer = decidePayment(changes, { order, known, refunded, ...priced, ...facts }, notice);
        await write(reader, changes);
        return { ...answer, release: changes.newReleases[0] ?? null };
      }),

    cancel: (orderId, buyerId) =>
      inTransaction(async (reader) => {
        const { order, facts } = await orderOrNull(reader, orderId);
        const changes = noChanges();
        const decision = decideCancel(changes, order, buyerId, facts);
        if (decision.kind === 'parked') {
          await statements.parkCancel(reader.trx, [{ order_id: orderId, buyer_id: buyerId }]);
        }
        await write(reader, changes);
        return { ...decision, release: changes.newReleases[0] ?? null };
      }),

    fulfil: (orderId) =>
      inTransaction(async (reader) => {
        const { order, facts } = await orderOrNull(reader, orderId);
        const changes = noChanges();
        const decision = decideFulfilment(changes, order, facts);
        await write(reader, changes);
        return decision;
      }),

    expireDue: (max) =>
      inTransaction(async (reader) => {
        const nowMs = await readNowMs(reader);
        const due = await reader.trx
          .selectFrom('orders')
          .select('order_id')
          .where('state', '=', 'pending')
          .where('due_at_ms', '<=', nowMs)
          .orderBy('due_at_ms')
          .limit(max)
          .execute();
        const changes = noChanges();
        const orders: Order[] = [];
        // Another sweeper may have ended some of them meanwhile, which the decision sees.
        for (const { order, facts } of await lockOrders(
          reader,
          due.map((row) => row.order_id),
        )) {
          const expired = decideExpiry(changes, order, facts);
          if (expired) orders.push(expired);
        }
        await write(reader, changes);
        return { orders, releases: changes.newReleases };
      }),

    listReclaiming: (max) => inTransaction((reader) => readReclaiming(reader, max)),

    giveUpReclaim: (payment) =>
      inTransaction(async (reader) => {
        const locked = await lockOrder(reader, payment.orderId);
        invariant(locked, `order ${payment.orderId} of a reclaiming payment is in the ledger`);
        const { order, facts } = locked;
        const current = await paymentNamed(reader, payment.reference, payment.outcome);
        const open = await statements.openPaymentsOf(reader.trx, [payment.orderId]);
        const changes = noChanges();
        const after = decideGiveUp(changes, order, current ?? payment, { open, ...facts });
        await write(reader, changes);
        return after;
      }),

    listCharges: (after, max) => inTransaction((reader) => readCharges(reader, after, max)),

    giveUpCharge: (orderId) =>
      inTransaction(async (reader) => {
        const { order, charge } = await lockCharged(reader, orderId);
        const changes = noChanges();
        const after = decideGiveUpCharge(changes, order, charge);
        await write(reader, changes);
        return after;
      }),

    closeCharge: (orderId) =>
      inTransaction(async (reader) => {
        const { order, charge, priced, facts } = await lockCharged(reader, orderId);
        const refunded = await paymentNamed(reader, walletReference(orderId), 'paid');
        const changes = noChanges();
        const after = decideCloseCharge(changes, { order, refunded, ...priced, charge, ...facts });
        await write(reader, changes);
        return { order: after, release: changes.newReleases[0] ?? null };
      }),
  };
}

/** What money for an order is judged by, beside the order. */
async function readPriced(reader: Reader, orderId: OrderId, order: Order | null) {
  const { trx, statements } = reader;
  const open = await statements.openPaymentsOf(trx, [orderId]);
  if (!order) return { open, amountDue: null, charge: null };
  const sale = await trx.selectFrom('sales').selectAll().where('id', '=', order.saleId).executeTakeFirstOrThrow();
  const row = await trx.selectFrom('charges').selectAll().where('order_id', '=', orderId).executeTakeFirst();
  return { open, amountDue: amountDueOf(saleOf(sale).offer, order.units), charge: row ? chargeOfRow(row) : null };
}

async function lockCharged(reader: Reader, orderId: OrderId) {
  const locked = await lockOrder(reader, orderId);
  invariant(locked, `order ${orderId} of a charge is in the ledger`);
  const { order, facts } = locked;
  const priced = await readPriced(reader, orderId, order);
  invariant(priced.charge, `order ${orderId} has a charge`);
  return { order, facts, priced, charge: priced.charge };
}

async function readCharges({ trx, statements }: Reader, after: OrderId | null, max: number) {
  const rows = await trx
    .selectFrom('charges')
    .selectAll()
    .where('state', 'in', ['open', 'due_back'])
    .$if(after !== null, (query) => query.where('order_id', '>', after ?? ''))
    .orderBy('order_id')
    .limit(max)
    .execute();
  const found = await statements.ordersNamed(
    trx,
    rows.map((row) => row.order_id),
  );
  const orders = new Map(found.map((row) => [row.order_id, orderOfRow(row)]));
  return rows.map(chargeOfRow).map((charge) => {
    const order = orders.get(charge.orderId);
    invariant(order, `order ${charge.orderId} of a charge is in the ledger`);
    return { charge, order };
  });
}

/** Nothing here takes units from the gate, so nobody's limit is needed. */
function write(reader: Reader, changes: LedgerChanges): Promise<void> {
  return writeChanges(reader, changes, () => 0);
}

async function orderOrNull(reader: Reader, orderId: OrderId) {
  const locked = await lockOrder(reader, orderId);
  // Of no order nothing is freed, so none of it matters.
  const nobodys = { epoch: 0, saleState: 'live', limitScope: '' } as const;
  return locked ?? { order: null, facts: { nowMs: await readNowMs(reader), ...nobodys } };
}

async function paymentNamed({ trx }: Reader, reference: string, outcome: PaymentOutcome) {
  const row = await trx
    .selectFrom('payments')
    .selectAll()
    .where('reference', '=', reference)
    .where('outcome', '=', outcome)
    .executeTakeFirst();
  return row ? paymentOfRow(row) : null;
}

async function readRefunded({ trx }: Reader, { orderId, reference }: PaymentNotice) {
  const rows = await trx.selectFrom('payments').selectAll().where('order_id', '=', orderId).orderBy('id').execute();
  return refundedBy(rows.map(paymentOfRow), reference);
}

type OrderExpressions = ExpressionBuilder<LedgerTables, 'orders'>;

function matches(eb: OrderExpressions, filter: OrderFilter, cursor: OrderCursor | null) {
  const { saleId, buyerId, state } = filter;
  return eb.and([
    ...(saleId === undefined ? [] : [eb('sale_id', '=', saleId)]),
    ...(buyerId === undefined ? [] : [eb('buyer_id', '=', buyerId)]),
    ...(state === undefined ? [] : [eb('state', '=', state)]),
    ...(cursor === null ? [] : [isAfter(eb, cursor)]),
  ]);
}

function isAfter(eb: OrderExpressions, { settledAtMs, orderId }: OrderCursor) {
  return eb.or([
    eb('settled_at_ms', '>', settledAtMs),
    eb.and([eb('settled_at_ms', '=', settledAtMs), eb('order_id', '>', orderId)]),
  ]);
}

async function readReclaiming({ trx, statements }: Reader, max: number): ReturnType<Orders['listReclaiming']> {
  const rows = await trx
    .selectFrom('payments')
    .selectAll()
    .where('state', '=', 'reclaiming')
    .orderBy('id')
    .limit(max)
    .execute();
  const orderRows = await statements.ordersNamed(trx, [...new Set(rows.map((row) => row.order_id))]);
  const orders = new Map(orderRows.map((row) => [row.order_id, orderOfRow(row)]));
  return rows.map(paymentOfRow).map((payment) => {
    const order = orders.get(payment.orderId);
    invariant(order, `order ${payment.orderId} of a reclaiming payment is in the ledger`);
    return { payment, order };
  });
}
