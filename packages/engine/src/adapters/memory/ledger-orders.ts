/** Orders in memory. */

import type { OrderId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { segmentName } from '../../domain/inventory/quota.ts';
import { type EndFacts, noChanges, paymentKey } from '../../domain/ledger/changes.ts';
import { decideCloseCharge, decideGiveUpCharge } from '../../domain/ledger/decide-charge.ts';
import { decideCancel, decideExpiry } from '../../domain/ledger/decide-end.ts';
import { decideFulfilment } from '../../domain/ledger/decide-fulfilment.ts';
import { decidePayment, refundedBy } from '../../domain/ledger/decide-payment.ts';
import { decideGiveUp } from '../../domain/ledger/decide-reclaim.ts';
import { type Charge, walletReference } from '../../domain/order/charge.ts';
import { segmentOf } from '../../domain/order/claim.ts';
import type { Order } from '../../domain/order/order.ts';
import { compareCursors, type OrderCursor, writeCursor } from '../../domain/order/order-cursor.ts';
import type { Payment, PaymentNotice, PaymentOutcome } from '../../domain/order/payment.ts';
import { limitScopeOf } from '../../domain/sale/limit-scope.ts';
import { amountDueOf } from '../../domain/sale/offer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OrderFilter, Orders } from '../../ports/orders.ts';
import { commitChanges } from './ledger-changes.ts';
import { commit } from './ledger-commit.ts';
import type { Rows } from './ledger-rows.ts';

export function createMemoryOrders(rows: Rows, clock: Clock): Orders {
  const factsOf = (order: Order | null): EndFacts => {
    const segment = order ? rows.segments.get(segmentName(segmentOf(order))) : null;
    // Of no order nothing is freed, so none of it matters.
    const sale = order ? rows.sales.get(order.saleId)?.sale : undefined;
    const limitScope = sale ? limitScopeOf(sale) : '';
    return { nowMs: clock.nowMs(), epoch: segment?.epoch ?? 0, saleState: sale?.state ?? 'live', limitScope };
  };

  return {
    async find(orderId) {
      return rows.orders.get(orderId) ?? null;
    },

    async findMany(orderIds) {
      return orderIds.map((id) => rows.orders.get(id)).filter((order) => order !== undefined);
    },

    async list(filter, cursor, max) {
      const found = [...rows.orders.values()].filter((order) => matches(order, filter, cursor)).sort(compareCursors);
      const orders = found.slice(0, max);
      const last = orders.at(-1);
      return { orders, next: found.length > max && last ? writeCursor(last) : null };
    },

    async history(orderId) {
      return [...(rows.events.get(orderId) ?? [])];
    },

    async payments(orderId) {
      return paymentsOf(rows, orderId);
    },

    async notePayment(notice) {
      const order = rows.orders.get(notice.orderId) ?? null;
      const named = (outcome: PaymentOutcome) => rows.payments.get(paymentKey({ ...notice, outcome })) ?? null;
      const changes = noChanges();
      const view = {
        ...{ order, known: named(notice.outcome), refunded: refundedOf(rows, notice) },
        ...{ ...pricedOf(rows, notice.orderId), ...factsOf(order) },
      };
      const answer = decidePayment(changes, view, notice);
      commitChanges(rows, changes);
      return { ...answer, release: changes.newReleases[0] ?? null };
    },

    async cancel(orderId, buyerId) {
      const order = rows.orders.get(orderId) ?? null;
      const changes = noChanges();
      const decision = decideCancel(changes, order, buyerId, factsOf(order));
      const isNew = decision.kind === 'parked' && !rows.parkedCancels.has(orderId);
      if (isNew) commit(rows, { parkedCancels: [[orderId, buyerId]] });
      commitChanges(rows, changes);
      return { ...decision, release: changes.newReleases[0] ?? null };
    },

    async fulfil(orderId) {
      const order = rows.orders.get(orderId) ?? null;
      const changes = noChanges();
      const decision = decideFulfilment(changes, order, factsOf(order));
      commitChanges(rows, changes);
      return decision;
    },

    async expireDue(max) {
      const nowMs = clock.nowMs();
      const due = [...rows.pendingOrders.values()]
        .filter((order) => order.dueAtMs !== null && order.dueAtMs <= nowMs)
        .sort((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0))
        .slice(0, max);
      const changes = noChanges();
      const orders = due.map((order) => decideExpiry(changes, order, factsOf(order))).filter((order) => order !== null);
      commitChanges(rows, changes);
      return { orders, releases: changes.newReleases };
    },

    async listReclaiming(max) {
      const payments = [...rows.reclaiming.values()].slice(0, max);
      return payments.map((payment) => ({ payment, order: orderNamed(rows, payment.orderId) }));
    },

    async giveUpReclaim(payment) {
      const order = orderNamed(rows, payment.orderId);
      const current = rows.payments.get(paymentKey(payment)) ?? payment;
      const changes = noChanges();
      const open = openPaymentsOf(rows, order.orderId);
      const after = decideGiveUp(changes, order, current, { open, ...factsOf(order) });
      commitChanges(rows, changes);
      return after;
    },

    async listCharges(after, max) {
      const found = [...rows.openCharges.values()].filter(({ orderId }) => after === null || orderId > after);
      const page = found.sort((a, b) => (a.orderId < b.orderId ? -1 : 1)).slice(0, max);
      return page.map((charge) => ({ charge, order: orderNamed(rows, charge.orderId) }));
    },

    async giveUpCharge(orderId) {
      const changes = noChanges();
      const after = decideGiveUpCharge(changes, orderNamed(rows, orderId), chargeNamed(rows, orderId));
      commitChanges(rows, changes);
      return after;
    },

    async closeCharge(orderId) {
      const order = orderNamed(rows, orderId);
      const refunded = rows.payments.get(paymentKey({ reference: walletReference(orderId), outcome: 'paid' })) ?? null;
      const changes = noChanges();
      const priced = { ...pricedOf(rows, orderId), charge: chargeNamed(rows, orderId) };
      const after = decideCloseCharge(changes, { order, refunded, ...priced, ...factsOf(order) });
      commitChanges(rows, changes);
      return { order: after, release: changes.newReleases[0] ?? null };
    },
  };
}

function refundedOf(rows: Rows, { orderId, outcome, reference }: PaymentNotice): Payment | null {
  if (outcome !== 'refunded') return null;
  return refundedBy(paymentsOf(rows, orderId), reference);
}

/** What money for an order is judged by, beside the order. */
function pricedOf(rows: Rows, orderId: OrderId) {
  const order = rows.orders.get(orderId);
  const offer = order && rows.sales.get(order.saleId)?.sale.offer;
  return {
    open: openPaymentsOf(rows, orderId),
    amountDue: offer ? amountDueOf(offer, order.units) : null,
    charge: rows.charges.get(orderId) ?? null,
  };
}

function chargeNamed(rows: Rows, orderId: OrderId): Charge {
  const charge = rows.charges.get(orderId);
  invariant(charge, `order ${orderId} has a charge`);
  return charge;
}

function paymentsOf(rows: Rows, orderId: OrderId): readonly Payment[] {
  return [...(rows.orderPayments.get(orderId)?.values() ?? [])];
}

/** Payments of an order that have not had their effect yet, oldest first. */
export function openPaymentsOf(rows: Rows, orderId: OrderId): readonly Payment[] {
  return paymentsOf(rows, orderId).filter(({ state }) => state === 'parked' || state === 'reclaiming');
}

function orderNamed(rows: Rows, orderId: OrderId): Order {
  const order = rows.orders.get(orderId);
  invariant(order, `order ${orderId} is in the ledger`);
  return order;
}

function matches(order: Order, { saleId, buyerId, state }: OrderFilter, cursor: OrderCursor | null): boolean {
  return (
    (saleId === undefined || order.saleId === saleId) &&
    (buyerId === undefined || order.buyerId === buyerId) &&
    (state === undefined || order.state === state) &&
    (cursor === null || compareCursors(order, cursor) > 0)
  );
}
