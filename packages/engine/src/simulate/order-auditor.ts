/**
 * The auditor of orders: each moves along the edges only, once; its units leave it by a release of its own claim, and come
 * to it by a claim that the gate made. What is known of money is noted here and judged by the auditor of money.
 */
import type { OrderId } from '../domain/ids.ts';
import type { Release } from '../domain/ledger/release.ts';
import type { Order, OrderState } from '../domain/order/order.ts';
import type { Payment, PaymentNotice } from '../domain/order/payment.ts';
import type { CancelResult, OrdersEnded, PaymentResult } from '../ports/orders.ts';
import {
  accountOf,
  addTo,
  type Books,
  type ClaimRecord,
  claimsOf,
  hasUnits,
  nameOfClaim,
  type OrderRecord,
  paymentsOf,
  recordOf,
  unitsOfBuyer,
  wayBackOf,
} from './books.ts';
import type { Report } from './violation.ts';

export interface OrderAuditor {
  /** A claim became an order; with what was parked for it, the order may have ended in the same step. */
  accepted(order: Order, record: ClaimRecord, release: Release | null): void;
  refused(order: Order): void;
  /** An order that had ended took the units of another claim. */
  revived(order: Order, record: ClaimRecord, release: Release | null): void;
  /** The gate was asked for units for late money. */
  reclaimed(orderId: OrderId, answer: string): void;

  paymentNoted(notice: PaymentNotice, result: PaymentResult): void;
  cancelAsked(orderId: OrderId, buyerId: string | null, result: CancelResult): void;
  expired(ended: OrdersEnded): void;
  gaveUp(payment: Payment, order: Order): void;
  /** Something was done to an order that is settled, with these releases; it cannot have got units by it. */
  changed(order: Order, releases: readonly Release[]): void;
  /** The orders that something was done to since this was last asked. */
  takeTouched(): readonly OrderId[];
}

export interface OrderAuditorParts {
  readonly books: Books;
  readonly report: Report;
  readonly sometimes: (mark: string) => void;
  /** The servers' clock. */
  readonly nowMs: () => number;
  readonly touch: () => void;
}

/** Where an order can go from where it is. */
const STEPS: Readonly<Record<OrderState, readonly OrderState[]>> = {
  queued: [],
  pending: ['paid', 'cancelled', 'expired'],
  paid: ['fulfilled', 'refunded'],
  fulfilled: ['refunded'],
  cancelled: ['paid', 'paid_unfulfilled'],
  expired: ['paid', 'paid_unfulfilled'],
  refused: ['paid_unfulfilled'],
  lost: ['paid_unfulfilled'],
  paid_unfulfilled: ['refunded'],
  refunded: [],
};

/** What a gate says when it has no units for late money; anything else may be another tomorrow. */
const HOPELESS: ReadonlySet<string> = new Set(['dry', 'not_enough_left', 'over_limit', 'closed']);

/** Whether an order that was in the one state may be found in the other later. */
export function canFollow(from: OrderState, to: OrderState): boolean {
  return from === to || STEPS[from].some((next) => canFollow(next, to));
}

export function createOrderAuditor({ books, report, sometimes, nowMs, touch }: OrderAuditorParts): OrderAuditor {
  const touched = new Set<OrderId>();
  /** Late money of these was refused by a gate. */
  const hopeless = new Set<OrderId>();

  function touchOrder(orderId: OrderId): void {
    touched.add(orderId);
    touch();
  }

  function made(order: Order): OrderRecord {
    const { orderId, buyerId, units, state, settledAtMs } = order;
    if (books.orders.has(orderId)) report('one order for one token', orderId, 'a second order');
    const claimId = nameOfClaim(orderId, order.origin);
    const states = [{ state, atMs: nowMs() }];
    const record: OrderRecord = {
      ...{ orderId, buyerId, units, settledAtMs, state, claimId, quota: recordOf(order).quota },
      ...{ claimIds: [claimId], states },
    };
    books.orders.set(orderId, record);
    touchOrder(orderId);
    return record;
  }

  function unitsGained(order: OrderRecord): void {
    let taken = 0;
    for (const each of books.orders.values()) if (hasUnits(each)) taken += each.units;
    const total = books.totalUnits;
    if (taken > total) report('never more is sold than there is', order.orderId, `${taken} of ${total}`);
    const own = unitsOfBuyer(books, order.buyerId);
    if (own > (books.draft?.limitUnits ?? 0)) report('no buyer passes the limit', order.orderId, `${own} units`);
  }

  function takeClaim(order: Order, claim: ClaimRecord): void {
    if (claim.state !== 'open') report('an order needs a claim that has units', order.orderId, claim.state);
    if (claim.claim.units !== order.units || claim.claim.buyerId !== order.buyerId) {
      report('an order is what was claimed', order.orderId, `${order.units} of ${order.buyerId}`);
    }
    claim.state = 'ordered';
  }

  /** The units of the order's claim are on their way back: by exactly one release, which names that claim. */
  function unitsFreed(order: OrderRecord, releases: readonly Release[]): void {
    const way = wayBackOf(books);
    const [release] = releases;
    const claim = books.claims.get(order.claimId);
    if (way !== 'quota') addTo(books.returned, order.quota, order.units);
    if (way === null) {
      if (claim) claim.state = 'over';
      sometimes('freed-on-paper');
      if (release) report('nothing moves in a settled sale', order.orderId, release.id);
      return;
    }
    if (way === 'centre') sometimes('release-to-centre');
    const isOwn = release && nameOfClaim(release.orderId, release.origin) === order.claimId;
    if (releases.length !== 1) report('an order that ends writes one release', order.orderId, `${releases.length}`);
    else if (!isOwn) report('an order that ends releases its own claim', order.orderId, release?.id ?? '');
    if (release && release.units !== order.units) report('all units go back', order.orderId, `${release.units} units`);
    if (release && release.destination !== way) {
      report('what is freed goes where its sale says', order.orderId, `to the ${release.destination}`);
    }
    if (claim?.state !== 'ordered') report('a claim ends once', order.orderId, `${claim?.id} is ${claim?.state}`);
    if (claim) claim.state = way === 'quota' ? 'returning' : 'ending';
  }

  function moved(record: OrderRecord, to: OrderState): void {
    if (!canFollow(record.state, to)) report('an order moves along its edges', record.orderId, `${record.state} ${to}`);
    record.state = to;
    record.states.push({ state: to, atMs: nowMs() });
    sometimes(`order-${to}`);
    touchOrder(record.orderId);
  }

  /** Something was done to an order that is settled; nothing here may give it units. */
  function changed(after: Order, releases: readonly Release[]): void {
    const record = books.orders.get(after.orderId);
    if (!record) {
      report('an order is made by settlement', after.orderId, after.state);
      return;
    }
    if (nameOfClaim(after.orderId, after.origin) !== record.claimId || after.units !== record.units) {
      report('an order keeps its claim', after.orderId, nameOfClaim(after.orderId, after.origin));
    }
    const before = accountOf(record);
    if (record.state !== after.state) moved(record, after.state);
    const isFreed = before !== null && !hasUnits(record);
    if (before === null && hasUnits(record)) report('late money takes units by a claim only', after.orderId, 'by none');
    if (isFreed) unitsFreed(record, releases);
    else if (releases.length > 0) report('only an order that ends writes a release', after.orderId, after.state);
  }

  function isCancelledEarly({ orderId, buyerId }: Order): boolean {
    const canceller = books.parkedCancels.get(orderId);
    return canceller === null || canceller === buyerId;
  }

  /** What an order of a claim that counts must be at once, by what came before it. */
  function dueState(order: Order): OrderState {
    const { orderId } = order;
    const isCancelled = isCancelledEarly(order);
    const parked = paymentsOf(books, orderId).filter(({ state }) => state === 'parked');
    const first = parked.find(({ notice }) => notice.outcome === 'paid');
    // A closed sale has no units for late money.
    const isLost = isCancelled && wayBackOf(books) !== 'quota';
    if (isCancelled && !(isLost && first)) return 'cancelled';
    if (!isCancelled && books.draft?.offer.kind === 'gift_pack') return 'paid';
    if (!first) return 'pending';
    const isBack = parked.some(({ notice }) => notice !== first.notice && notice.reference === first.notice.reference);
    if (isBack) return 'refunded';
    return isLost ? 'paid_unfulfilled' : 'paid';
  }

  return {
    changed,

    accepted(order, claim, release) {
      takeClaim(order, claim);
      const due = dueState(order);
      const record = made({ ...order, state: 'pending' });
      unitsGained(record);
      if (order.state !== due) report('what was parked takes effect', order.orderId, `${order.state}, not ${due}`);
      // It ended first, so money that it had waiting was never its own.
      if (isCancelledEarly(order) && due !== 'cancelled') record.states.push({ state: 'cancelled', atMs: nowMs() });
      if (order.state === 'paid') sometimes('parked-payment-applied');
      if (order.state === 'cancelled') sometimes('cancelled-while-queued');
      changed(order, release ? [release] : []);
    },

    refused(order) {
      const record = made({ ...order, state: 'refused' });
      if (record.state !== order.state) moved(record, order.state);
      if (hasUnits(record)) report('a refused order has no units', order.orderId, order.state);
    },

    revived(order, claim, release) {
      const record = books.orders.get(order.orderId);
      if (!record) return report('an order is made by settlement', order.orderId, 'revived');
      const isAwaited = paymentsOf(books, order.orderId).some(({ state }) => state === 'reclaiming');
      if (!isAwaited) report('an order is revived by late money', order.orderId, 'none is reclaiming');
      if (claimsOf(books, order.orderId).some(({ state }) => state === 'ordered')) {
        report('an order is revived when it has ended', order.orderId, record.state);
      }
      sometimes('revived');
      takeClaim(order, claim);
      moved(record, 'paid');
      record.claimId = claim.id;
      record.claimIds.push(claim.id);
      record.quota = claim.quota;
      unitsGained(record);
      // A refund that came before its payment ends it in the same step.
      changed(order, release ? [release] : []);
    },

    reclaimed(orderId, answer) {
      sometimes(`reclaim-${answer}`);
      const isLate = paymentsOf(books, orderId).some((payment) => payment.isLate);
      if (!isLate) report('units are claimed again for late money only', orderId, answer);
      if (HOPELESS.has(answer)) hopeless.add(orderId);
    },

    paymentNoted(notice, result) {
      const { kind, release } = result;
      const own = paymentsOf(books, notice.orderId);
      const known = own.find(
        (each) => each.notice.reference === notice.reference && each.notice.outcome === notice.outcome,
      );
      if (result.kind === 'content_differs' || result.kind === 'amount_differs') {
        return report('a notice is taken', notice.orderId, kind);
      }
      const { order, payment } = result;
      if ((kind === 'repeated') !== (known !== undefined)) report('a notice is taken once', notice.orderId, kind);
      touchOrder(notice.orderId);
      if (kind === 'repeated') {
        if (release) report('a repeat changes nothing', notice.orderId, release.id);
        return sometimes('notice-repeated');
      }
      const isLate = payment.state === 'reclaiming';
      const noted = { notice, state: payment.state, isLate };
      books.payments.set(notice.orderId, [...own, noted]);
      sometimes(`noted-${notice.outcome}-${payment.state}`);
      const record = books.orders.get(notice.orderId);
      if ((record === undefined) !== (order === null))
        report('money knows its order', notice.orderId, `${record?.state}`);
      if (isLate) sometimes(record?.state === 'expired' ? 'paid-after-expiry' : 'paid-after-cancel');
      if (order) changed(order, release ? [release] : []);
    },

    cancelAsked(orderId, buyerId, result) {
      const record = books.orders.get(orderId);
      if (result.kind === 'parked') {
        if (record) report('a cancel waits only for settlement', orderId, record.state);
        if (!books.parkedCancels.has(orderId)) books.parkedCancels.set(orderId, buyerId);
        return sometimes('cancel-parked');
      }
      sometimes(`cancel-${result.kind}`);
      if (result.kind === 'absent') return;
      if (result.kind === 'cancelled' && buyerId !== null && buyerId !== record?.buyerId) {
        report("nobody cancels another's order", orderId, buyerId);
      }
      if (result.kind === 'wrong_state' && record?.state === 'pending')
        report('a cancel ends what is unpaid', orderId, '');
      changed(result.order, result.release ? [result.release] : []);
    },

    expired({ orders, releases }) {
      for (const order of orders) {
        const record = books.orders.get(order.orderId);
        if (record?.state !== 'pending') report('only an unpaid order expires', order.orderId, `${record?.state}`);
        const dueAtMs = (record?.settledAtMs ?? 0) + (books.draft?.holdMs ?? 0);
        if (nowMs() < dueAtMs)
          report('an order expires when it is due', order.orderId, `${dueAtMs - nowMs()} ms early`);
        changed(
          order,
          releases.filter((release) => release.orderId === order.orderId),
        );
      }
      const isStray = releases.some((release) => !orders.some((order) => order.orderId === release.orderId));
      if (isStray) report('only an order that ends writes a release', releases[0]?.orderId ?? null, 'a stray one');
    },

    gaveUp(payment, order) {
      const record = books.orders.get(payment.orderId);
      const isEnded = record?.state === 'cancelled' || record?.state === 'expired';
      if (isEnded && record.state !== order.state) {
        if (!hopeless.has(order.orderId))
          report('late money is given up when the gate has no units', order.orderId, '');
        sometimes('gave-up-reclaim');
      }
      changed(order, []);
    },

    takeTouched() {
      const orderIds = [...touched];
      touched.clear();
      return orderIds;
    },
  };
}
