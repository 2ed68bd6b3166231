import { describe, expect, test } from 'vitest';
import type { Quota } from '../inventory/quota.ts';
import { BEFORE_ALL } from '../order/claim.ts';
import { decideSettle, type GatesAtRest, type SettleView, sayOpenMatters } from './decide-settle.ts';

const key = { saleId: 'sale', region: 'main', segment: 0 };
const quota: Quota = {
  ...{ ...key, channel: 'web', allottedUnits: 6, heldUnits: 0, soldUnits: 6, quarantinedUnits: 0 },
};
const gates: GatesAtRest = { confirmed: [{ ...key, epoch: 2 }], queuedClaims: 0, unsettledClaims: 0 };
const view: SettleView = {
  state: 'closed',
  centre: { totalUnits: 10, freeUnits: 4, allottedUnits: 6 },
  quotas: [quota],
  segments: [{ ...key, epoch: 2, cuts: [], settledThrough: BEFORE_ALL }],
  ...{ unpaidOrders: 0, latePayments: 0, openMoves: 0, openReturns: 0, openReleases: 0, openWithdrawals: 0 },
  balance: { outside: -10, free: 4, inTransit: 0, atGate: 0, held: 0, sold: 6, quarantined: 0 },
};

describe('a sale', () => {
  test('is settled when everything in it has ended, from closed only, and once', () => {
    expect(decideSettle(view, gates)).toEqual({ kind: 'settle' });
    expect(decideSettle({ ...view, state: 'settled' }, gates)).toEqual({ kind: 'repeated' });
    for (const state of ['draft', 'live', 'paused'] as const) {
      expect(decideSettle({ ...view, state }, gates)).toEqual({ kind: 'wrong_state' });
    }
  });

  const OPEN: Readonly<Record<string, readonly [Partial<SettleView>, Partial<GatesAtRest>]>> = {
    unconfirmedGates: [{}, { confirmed: [{ ...key, epoch: 1 }] }],
    queuedClaims: [{}, { queuedClaims: 1 }],
    unsettledClaims: [{}, { unsettledClaims: 1 }],
    unpaidOrders: [{ unpaidOrders: 1 }, {}],
    latePayments: [{ latePayments: 1 }, {}],
    openMoves: [{ openMoves: 1 }, {}],
    openReturns: [{ openReturns: 1 }, {}],
    openReleases: [{ openReleases: 1 }, {}],
    openWithdrawals: [{ openWithdrawals: 1 }, {}],
    quarantinedUnits: [{ quotas: [{ ...quota, soldUnits: 5, quarantinedUnits: 1 }], balance: soldBy(5) }, {}],
    unreturnedUnits: [{ quotas: [{ ...quota, soldUnits: 5 }], balance: soldBy(5) }, {}],
    unbalancedUnits: [{ balance: soldBy(5) }, {}],
  };

  function soldBy(sold: number) {
    return { ...view.balance, sold };
  }

  test.each(Object.entries(OPEN))('is not settled for %s', (matter, [ledger, gate]) => {
    const decision = decideSettle({ ...view, ...ledger }, { ...gates, ...gate });
    expect(decision).toEqual({ kind: 'still_open', open: { [matter]: 1 } });
  });

  test('tells what is open, and how many', () => {
    expect(sayOpenMatters({ openReturns: 1, unpaidOrders: 3 })).toBe(
      'Still open: 3 unpaid orders, 1 return under way.',
    );
  });
});
