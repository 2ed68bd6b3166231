import { describe, expect, test } from 'vitest';
import {
  awaitsLateMoney,
  canBecome,
  isFinal,
  isLive,
  ORDER_EDGES,
  ORDER_STATES,
  type OrderState,
  placeOfOrder,
} from './order.ts';

function reachableFrom(start: OrderState): Set<OrderState> {
  const reached = new Set<OrderState>([start]);
  for (const state of reached) for (const next of ORDER_EDGES[state]) reached.add(next);
  return reached;
}

describe('the table of order states', () => {
  test('is closed: every edge leads to a state that has a row', () => {
    expect(Object.keys(ORDER_EDGES).toSorted()).toEqual([...ORDER_STATES].toSorted());
    for (const state of ORDER_STATES) for (const next of ORDER_EDGES[state]) expect(ORDER_STATES).toContain(next);
  });

  test('begins with queued, and reaches every state from there', () => {
    expect(reachableFrom('queued')).toEqual(new Set(ORDER_STATES));
    for (const state of ORDER_STATES) expect(canBecome(state, 'queued')).toBe(false);
  });

  test('ends with refunded alone', () => {
    expect(ORDER_STATES.filter((state) => ORDER_EDGES[state].length === 0)).toEqual(['refunded']);
    for (const state of ORDER_STATES) expect(reachableFrom(state)).toContain('refunded');
  });

  test('leads no state to itself, and none back once money was returned', () => {
    for (const state of ORDER_STATES) expect(canBecome(state, state)).toBe(false);
    expect(reachableFrom('refunded').size).toBe(1);
  });

  test('lets a paid order be fulfilled or refunded, never fall due', () => {
    expect(ORDER_EDGES.paid).toEqual(['fulfilled', 'refunded']);
    expect(canBecome('pending', 'expired')).toBe(true);
    expect(canBecome('paid', 'expired')).toBe(false);
    expect(canBecome('paid', 'cancelled')).toBe(false);
  });

  test('takes late money for every order that ended without any', () => {
    for (const state of ['cancelled', 'expired', 'refused', 'lost'] as const) {
      expect(canBecome(state, 'paid_unfulfilled')).toBe(true);
      // Only who had units once may have them again.
      expect(canBecome(state, 'paid')).toBe(awaitsLateMoney(state));
    }
  });

  test('gives every live order a place for its units, and an ended one none', () => {
    const places = Object.fromEntries(ORDER_STATES.map((state) => [state, placeOfOrder(state)]));
    expect(places).toEqual({
      queued: 'claimed',
      pending: 'held',
      paid: 'sold',
      fulfilled: 'sold',
      cancelled: null,
      expired: null,
      refused: null,
      lost: null,
      paid_unfulfilled: null,
      refunded: null,
    });
    expect(ORDER_STATES.filter(isLive)).toEqual(['queued', 'pending', 'paid', 'fulfilled']);
  });

  test('moves by itself on the way into the ledger and while it is unpaid, and never after', () => {
    expect(ORDER_STATES.filter((state) => !isFinal(state))).toEqual(['queued', 'pending']);
  });
});
