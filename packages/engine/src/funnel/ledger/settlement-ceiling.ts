/**
 * The ceiling of settlement: a leaky bucket between queue and ledger, in orders and in transactions a second. A peak reaches SQL
 * as a flat line; what does not fit waits in the queue, where it holds no row and no transaction.
 *
 * Promises: no credit is saved up, so no second has more than the ceiling (and what one group is above it is paid for by the
 * next rest); with nothing owed there is no rest, so an order never waits for a ceiling that is not met. When SQL slows past the
 * target, groups get smaller and the worker rests after each, at most for as long as the group took; it ends with the slowness.
 */
import type { Clock } from '../../ports/clock.ts';
import { MAX_CLAIMS_PER_SETTLEMENT } from '../../ports/settlement.ts';

/** 0: not bounded. */
export interface CeilingBounds {
  readonly settleOrdersPerSecond: number;
  readonly settleTransactionsPerSecond: number;
  /** What a settlement may take before it is slow. */
  readonly settleTargetMs: number;
}

export const NO_CEILING: CeilingBounds = {
  ...{ settleOrdersPerSecond: 0, settleTransactionsPerSecond: 0, settleTargetMs: 0 },
};

export interface SettledTransaction {
  readonly claims: number;
  readonly durationMs: number;
}

/** As it is now; 0: no ceiling. */
export interface CeilingReading {
  readonly ordersPerSecond: number;
  readonly transactionsPerSecond: number;
  readonly groupClaims: number;
}

export interface SettlementCeiling {
  /** How long to rest before the next group; 0: not at all. */
  restMs(): number;
  /** The most claims that the next group may have. */
  groupClaims(): number;
  /** Told of each transaction when it has ended, however it ended. */
  spent(transaction: SettledTransaction): void;
  /** From now on nothing rests: what is queued ends with this process. */
  lift(): void;
  read(): CeilingReading;
}

/** How flat the line is: no group has more orders than fit into this long, unless there may be fewer groups than that. */
const FLAT_MS = 100;
/** Below it a smaller group costs more a row than it spares. */
const FEWEST_CLAIMS = 32;
/** One slow transaction among quick ones (somebody had the row) is no slow database. */
const NEWEST_WEIGHT = 0.3;
/** An order may wait for this, so it is shorter than what people notice. */
const LONGEST_SLOW_REST_MS = 1_000;

export function createSettlementCeiling(clock: Clock, bounds: CeilingBounds): SettlementCeiling {
  const { settleTransactionsPerSecond: transactionsPerSecond, settleTargetMs: targetMs } = bounds;
  const { settleOrdersPerSecond: ordersPerSecond } = bounds;
  let freeAtMs = Number.NEGATIVE_INFINITY;
  let smoothedMs = 0;
  let groupClaims = MAX_CLAIMS_PER_SETTLEMENT;
  let isLifted = false;

  const isSlow = () => targetMs > 0 && smoothedMs > targetMs;

  /** Twice as slow as it may be: half of the time is rest. */
  function slowRestMs(): number {
    return isSlow() ? Math.min(smoothedMs * Math.min(smoothedMs / targetMs - 1, 1), LONGEST_SLOW_REST_MS) : 0;
  }

  function costMs(claims: number): number {
    const ofOrders = ordersPerSecond > 0 ? (claims * 1_000) / ordersPerSecond : 0;
    const ofTransaction = transactionsPerSecond > 0 ? 1_000 / transactionsPerSecond : 0;
    return Math.max(ofOrders, ofTransaction);
  }

  function mostClaims(): number {
    if (ordersPerSecond === 0 || isLifted) return groupClaims;
    const spanMs = Math.max(FLAT_MS, transactionsPerSecond > 0 ? 1_000 / transactionsPerSecond : 0);
    return Math.min(groupClaims, Math.max(1, Math.floor((ordersPerSecond * spanMs) / 1_000)));
  }

  function adaptGroup(claims: number): void {
    if (!isSlow()) groupClaims = Math.min(MAX_CLAIMS_PER_SETTLEMENT, Math.ceil(groupClaims * 1.25));
    else if (claims > FEWEST_CLAIMS)
      groupClaims = Math.max(FEWEST_CLAIMS, Math.ceil(Math.min(groupClaims, claims) / 2));
  }

  return {
    restMs: () => (isLifted ? 0 : Math.max(0, freeAtMs - clock.monotonicMs())),
    groupClaims: mostClaims,
    spent({ claims, durationMs }) {
      const nowMs = clock.monotonicMs();
      smoothedMs += (durationMs - smoothedMs) * NEWEST_WEIGHT;
      adaptGroup(claims);
      // Its own time counts: it is the spacing of beginnings that is bounded. What was owed before is owed still.
      const paidFromMs = Math.max(freeAtMs, nowMs - durationMs);
      freeAtMs = Math.max(paidFromMs + costMs(claims), nowMs + slowRestMs());
    },
    lift() {
      isLifted = true;
    },
    read() {
      const claims = mostClaims();
      const slow = isSlow() && !isLifted ? 1_000 / (smoothedMs + slowRestMs()) : 0;
      const transactions = isLifted ? 0 : leastOf(transactionsPerSecond, slow);
      const orders = isLifted ? 0 : leastOf(ordersPerSecond, transactions * claims);
      return { ordersPerSecond: orders, transactionsPerSecond: transactions, groupClaims: claims };
    },
  };
}

/** Of two ceilings, where 0 is none. */
function leastOf(a: number, b: number): number {
  if (a === 0 || b === 0) return Math.max(a, b);
  return Math.min(a, b);
}
