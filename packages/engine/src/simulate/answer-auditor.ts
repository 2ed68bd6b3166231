/**
 * The auditor of answers: what buyers were told must be true when it is said, and stay true. It knows the truth from the
 * books of units, and remembers what was said before.
 */
import type { OrderId } from '../domain/ids.ts';
import type { KnownOrder, OrderState } from '../domain/order/order.ts';
import { type Refusal, retryOf } from '../domain/refusal.ts';
import type { PurchaseAccepted } from '../funnel/purchase.ts';
import type { Signer } from '../ports/signer.ts';
import { accountOf, type Books, type ClaimRecord, claimsOf, hasUnits, isNamed, unclaimedUnits } from './books.ts';
import { canFollow } from './order-auditor.ts';
import type { Report } from './violation.ts';

export interface AskedPurchase {
  /** The process that was asked. */
  readonly process: string;
  readonly orderId: OrderId;
  readonly buyerId: string;
  readonly units: number;
}

export interface AnswerAuditor {
  /** Returns what is to be called with the answer, at the moment that it is given. */
  purchaseAsked(asked: AskedPurchase): (answer: PurchaseAccepted | Refusal) => void;
  /** Likewise for the order itself. */
  orderAsked(orderId: OrderId): (order: KnownOrder | null) => void;
  claimTaken(process: string, orderId: OrderId): void;
  /** To be called when units may have moved. */
  look(): void;
}

export interface AnswerAuditorParts {
  readonly books: Books;
  readonly signer: Signer;
  readonly report: Report;
  readonly sometimes: (mark: string) => void;
  /** By the wall clock, when the world began. */
  readonly beginsMs: number;
  /** Since then. */
  readonly nowMs: () => number;
  /** Whether an order of another sale of the limit group is this buyer's. */
  readonly isOrderBeside: (orderId: OrderId, buyerId: string) => boolean;
}

/** How old the verdict on an empty quota may be that an answer repeats. */
const VERDICT_MAY_BE_OLD_MS = 500;

interface Asked extends AskedPurchase {
  readonly beganMs: number;
  /** The claim or order that the buyer had when it was asked. */
  readonly had: ClaimRecord | null;
  isRefusedForGood: boolean;
}

export function createAnswerAuditor(parts: AnswerAuditorParts): AnswerAuditor {
  const { books, signer, report, sometimes, nowMs } = parts;
  const asked = new Map<OrderId, Asked[]>();
  /** What was said of orders that the ledger has, by order id. */
  const told = new Map<OrderId, { readonly status: OrderState; readonly atMs: number }>();
  /** The last moment at which no unit was left to claim. */
  let nothingLeftMs = Number.NEGATIVE_INFINITY;
  let isNothingLeft = false;
  /** Likewise at which every unit was sold. */
  let allSoldMs = Number.NEGATIVE_INFINITY;
  let isAllSold = false;

  function winOf(orderId: OrderId): ClaimRecord | null {
    const order = books.orders.get(orderId);
    const isLive = order !== undefined && hasUnits(order);
    const wins = claimsOf(books, orderId).filter(({ state }) => state === 'open' || (state === 'ordered' && isLive));
    return wins[0] ?? null;
  }

  /** It was so at some moment since it was asked; and who was told something before is told that, or what followed. */
  function truthOfStatus({ orderId, beganMs }: Pick<Asked, 'orderId' | 'beganMs'>, status: OrderState): void {
    const states = books.orders.get(orderId)?.states ?? [];
    const beganAtMs = parts.beginsMs + beganMs;
    const wasTrue = states.some(
      ({ state }, at) => state === status && (states[at + 1]?.atMs ?? beganAtMs) >= beganAtMs,
    );
    if (!wasTrue) report('what is answered is in the ledger', orderId, `${status}, not ${states.at(-1)?.state}`);
    const before = told.get(orderId);
    if (before && before.atMs < beganMs && !canFollow(before.status, status)) {
      report('an answer never goes back', orderId, `${status} after ${before.status}`);
    }
    if (!before || canFollow(before.status, status)) told.set(orderId, { status, atMs: nowMs() });
  }

  /** A request that was asked earlier may be answered with what was true then; one without receipt says nothing. */
  function queued({ orderId, beganMs }: Asked, isUnclear: boolean): void {
    const before = told.get(orderId);
    if (before && before.atMs < beganMs && !isUnclear) report('an answer never goes back', orderId, 'queued again');
  }

  function accepted(request: Asked, answer: PurchaseAccepted): void {
    const { orderId } = request;
    if (answer.orderId !== orderId) report('the token is the order', orderId, `answered as ${answer.orderId}`);
    // An order that was refused after its gate was lost is told as it was, even to who now asks for another number.
    const order = books.orders.get(orderId);
    const wasRefused = order?.states[0]?.state === 'refused';
    const dueUnits = wasRefused && answer.status !== 'queued' ? order.units : request.units;
    if (answer.units !== dueUnits) report('the units are those asked for', orderId, `${answer.units} units`);
    if (answer.status === 'queued') queued(request, answer.receipt === null);
    else truthOfStatus(request, answer.status);
    if (answer.receipt === null) {
      sometimes('accepted-unclear');
      return;
    }
    const name = signer.verify('receipt', answer.receipt)?.[1] ?? '';
    const record = claimsOf(books, orderId).find((each) => isNamed(each, name));
    if (record?.claim.units !== answer.units) report('the same order for ever', orderId, `${answer.units} units`);
    if (answer.status === 'pending' && !(record && order?.claimIds.includes(record.id))) {
      report('the same order for ever', orderId, `a receipt for ${record?.id}, an order of ${order?.claimId}`);
    }
    sometimes(`accepted-${answer.status}`);
  }

  function refused(request: Asked, { reason, liveOrderIds, leftUnits }: Refusal): void {
    const { orderId, had } = request;
    sometimes(`refused-${reason}`);
    if (!isForGood(reason)) return;
    request.isRefusedForGood = true;
    if (reason === 'content_differs') {
      const isOther = claimsOf(books, orderId).some(({ claim }) => claim.units !== request.units);
      if (!isOther) report('content differs', orderId, 'it does not');
      return;
    }
    // Of two clicks at once the first may be refused and the second win, whatever the order of their answers.
    const before = told.get(orderId);
    if (before && before.status !== 'refused' && before.atMs < request.beganMs) {
      report('a win is answered for ever', orderId, reason);
    }
    if (had && winOf(orderId) === had) report('who has a claim is not refused', orderId, `${reason} for ${had.id}`);
    if (reason === 'none_left_now' || reason === 'sold_out') judgeSoldOut(request, reason);
    if (reason === 'over' && nowMs() < endsMs()) report('over is said after the end', orderId, `${endsMs()}`);
    if (reason === 'not_enough_left' && !(leftUnits !== undefined && leftUnits > 0 && leftUnits < request.units)) {
      report('not enough is less than wanted', orderId, `${leftUnits} left`);
    }
    for (const id of liveOrderIds ?? []) {
      const isHere = claimsOf(books, id).some(({ claim }) => claim.buyerId === request.buyerId);
      const isOwn = isHere || parts.isOrderBeside(id, request.buyerId);
      if (!isOwn) report("the limit is used up by the buyer's own orders", orderId, id);
    }
  }

  function judgeSoldOut({ orderId, beganMs }: Asked, reason: Refusal['reason']): void {
    const sinceMs = beganMs - VERDICT_MAY_BE_OLD_MS;
    const wasTrue = isNothingLeft || nothingLeftMs >= sinceMs;
    if (!wasTrue) report('none left is said when none is left', orderId, `${unclaimedUnits(books)} left`);
    const wasSold = isAllSold || allSoldMs >= sinceMs;
    if (reason === 'sold_out' && !wasSold) report('sold out is said when all is sold', orderId, 'units may come back');
  }

  function endsMs(): number {
    return (books.draft?.endsAtMs ?? 0) - parts.beginsMs;
  }

  return {
    purchaseAsked(request) {
      const record: Asked = { ...request, beganMs: nowMs(), had: winOf(request.orderId), isRefusedForGood: false };
      const earlier = asked.get(request.orderId);
      if (earlier) earlier.push(record);
      else asked.set(request.orderId, [record]);
      return (answer) => (answer.kind === 'accepted' ? accepted(record, answer) : refused(record, answer));
    },

    orderAsked(orderId) {
      const beganMs = nowMs();
      return (order) => {
        const before = told.get(orderId);
        if (!order && before && before.atMs < beganMs) {
          report('an order that was told is found', orderId, before.status);
        }
        if (!order) return;
        if (order.state !== 'queued' && books.orders.get(orderId)?.units !== order.units) {
          report('the same order for ever', orderId, `${order.units} units`);
        }
        truthOfStatus({ orderId, beganMs }, order.state);
      };
    },

    claimTaken(process, orderId) {
      const requests = (asked.get(orderId) ?? []).filter((each) => each.process === process);
      if (requests.length === 0) report('a claim is asked for', orderId, process);
      else if (requests.every((each) => each.isRefusedForGood)) {
        report('a refusal leaves no trace', orderId, 'claimed after every request was refused');
      }
    },

    look() {
      if (isNothingLeft) nothingLeftMs = nowMs();
      isNothingLeft = unclaimedUnits(books) <= 0;
      if (isAllSold) allSoldMs = nowMs();
      let unsold = books.totalUnits;
      for (const order of books.orders.values()) if (accountOf(order) === 'sold') unsold -= order.units;
      isAllSold = unsold === 0;
    },
  };
}

/** The buyer who is told so goes away. */
function isForGood(reason: Refusal['reason']): boolean {
  const retry = retryOf(reason);
  return retry === 'never' || retry === 'perhaps';
}
