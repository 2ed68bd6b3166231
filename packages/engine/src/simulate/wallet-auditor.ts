/**
 * The auditor of points: what the wallet took and gave back, by its own books. Points that were taken are the price of one
 * order, or go back; never both, never neither, and nobody pays twice.
 */

import type { OrderId } from '../domain/ids.ts';
import type { Release } from '../domain/ledger/release.ts';
import type { Charge } from '../domain/order/charge.ts';
import type { Order } from '../domain/order/order.ts';
import type { ChargeAnswer, RefundAnswer, RefundCall, WalletCall } from '../ports/wallet.ts';
import { type Books, paymentsOf } from './books.ts';
import type { Report } from './violation.ts';

/** What was taken under one key. */
interface Taking {
  readonly orderId: OrderId;
  readonly points: number;
  isGivenBack: boolean;
}

export interface WalletAuditor {
  charged(call: WalletCall, answer: ChargeAnswer): void;
  refunded(call: RefundCall, answer: RefundAnswer): void;
  gaveUp(orderId: OrderId, charge: Charge): void;
  closed(orderId: OrderId, result: { readonly order: Order; readonly release: Release | null }): void;
  /** When everything has come to rest. */
  judgeAtRest(): void;
}

export interface WalletAuditorParts {
  readonly books: Books;
  readonly report: Report;
  readonly sometimes: (mark: string) => void;
  /** An order that was cancelled, or refunded, as its charge was closed. */
  readonly changed: (order: Order, releases: readonly Release[]) => void;
}

export function createWalletAuditor({ books, report, sometimes, changed }: WalletAuditorParts): WalletAuditor {
  const takings = new Map<string, Taking>();

  const isPaid = (orderId: OrderId) => {
    const state = books.orders.get(orderId)?.state;
    return state === 'paid' || state === 'fulfilled';
  };

  return {
    charged({ key, orderId, points }, answer) {
      if (answer.kind === 'refused') return sometimes(`charge-refused-${answer.reason}`);
      const known = takings.get(key);
      if (known) return sometimes('charge-repeated');
      sometimes('charged');
      for (const each of takings.values()) {
        if (each.orderId === orderId) report('an order is charged once', orderId, `${key} is another key`);
      }
      const state = books.orders.get(orderId)?.state;
      if (state === undefined) report('only a settled order is charged', orderId, key);
      if (state === 'cancelled' || state === 'expired') sometimes('charged-after-end');
      takings.set(key, { orderId, points, isGivenBack: false });
    },

    refunded({ chargeKey, orderId }, answer) {
      sometimes(`refund-${answer.kind}`);
      const taking = takings.get(chargeKey);
      if (answer.kind === 'nothing_taken' || !taking) return;
      if (isPaid(orderId)) report('the price of a paid order stays', orderId, chargeKey);
      taking.isGivenBack = true;
    },

    gaveUp(orderId, charge) {
      const order = books.orders.get(orderId);
      if (charge.state !== 'due_back') return;
      if (order?.state === 'pending') report('no charge is given up while its order waits', orderId, charge.state);
      books.givenUpCharges.add(orderId);
      sometimes('charge-given-up');
    },

    closed(orderId, { order, release }) {
      const before = books.orders.get(orderId)?.state;
      if (before === 'pending' && order.state === 'cancelled') sometimes('cancelled-by-refusal');
      const reference = `wallet:${orderId}`;
      const own = paymentsOf(books, orderId);
      const paid = own.find(({ notice }) => notice.reference === reference && notice.outcome === 'paid');
      const isNoted = own.some(({ notice }) => notice.reference === reference && notice.outcome === 'refunded');
      // It says itself that the points went back.
      const isBack = paid?.state === 'refund_due' || (paid?.state === 'applied' && order.state === 'refunded');
      if (paid && isBack && !isNoted) {
        const notice = { ...paid.notice, outcome: 'refunded' as const };
        books.payments.set(orderId, [...own, { notice, state: 'applied', isLate: false }]);
      }
      changed(order, release ? [release] : []);
    },

    judgeAtRest() {
      for (const [key, { orderId, isGivenBack }] of takings) {
        const isWrong = isPaid(orderId) === isGivenBack;
        const told = `${key}: ${books.orders.get(orderId)?.state}, ${isGivenBack ? 'given back' : 'kept'}`;
        if (isWrong) report('points are the price of an order, or go back', orderId, told);
      }
      for (const { orderId, state } of books.orders.values()) {
        const isCharged = [...takings.values()].some((each) => each.orderId === orderId && !each.isGivenBack);
        if (state === 'paid' && !isCharged) report('a paid exchange has its price', orderId, 'nothing was taken');
      }
    },
  };
}
