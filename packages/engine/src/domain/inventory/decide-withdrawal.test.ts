import { describe, expect, test } from 'vitest';
import { InvariantError } from '../invariant.ts';
import { decideCloseWithdrawal, decideWithdrawal, type Withdrawal, type WithdrawalView } from './decide-withdrawal.ts';

const centre = { totalUnits: 10, freeUnits: 4, allottedUnits: 6 };
const view: WithdrawalView = { state: 'live', centre, unorderedUnits: 3, known: null, receivedUnits: null };
const request = (units: number) => ({ id: 'attempt-1', saleId: 'sale', delivery: 'truck-1', units });
const withdrawal = (units: number, state: Withdrawal['state'] = 'open'): Withdrawal => ({ ...request(units), state });

describe('a withdrawal', () => {
  test('takes what is free, waits for what may come back, and is refused when there is not as much', () => {
    const after = { totalUnits: 6, freeUnits: 0, allottedUnits: 6 };
    expect(decideWithdrawal(view, request(4))).toEqual({ kind: 'withdrawn', centre: after });
    expect(decideWithdrawal(view, request(5))).toEqual({ kind: 'open', withdrawal: withdrawal(5), centre });
    expect(decideWithdrawal(view, request(7))).toMatchObject({ kind: 'open' });
    expect(decideWithdrawal(view, request(8))).toEqual({ kind: 'refused', centre });
  });

  test.each(['closed', 'settled'] as const)('of a %s sale is refused', (state) => {
    expect(decideWithdrawal({ ...view, state }, request(1))).toEqual({ kind: 'wrong_state', centre });
  });

  test('is the same one when it is told again, whatever has become of the sale', () => {
    const again = (known: Withdrawal) => decideWithdrawal({ ...view, state: 'closed', known }, request(5)).kind;
    expect(again(withdrawal(5, 'withdrawn'))).toBe('repeated');
    expect(again(withdrawal(5, 'open'))).toBe('open');
    expect(again(withdrawal(5, 'refused'))).toBe('refused');
    expect(again(withdrawal(6, 'withdrawn'))).toBe('content_differs');
    expect(decideWithdrawal({ ...view, receivedUnits: 5 }, request(5)).kind).toBe('content_differs');
  });

  test('ends when all that was asked back has come: with the units, or whole without', () => {
    const close = (units: number, freeUnits: number, openReturns: number) =>
      decideCloseWithdrawal({ centre: { ...centre, freeUnits }, openReturns }, withdrawal(units)).kind;
    expect([close(5, 5, 0), close(5, 9, 1)]).toEqual(['withdrawn', 'withdrawn']);
    expect([close(5, 4, 1), close(5, 4, 0)]).toEqual(['open', 'refused']);
    expect(decideCloseWithdrawal({ centre, openReturns: 0 }, withdrawal(1, 'refused')).kind).toBe('refused');
    expect(decideCloseWithdrawal({ centre, openReturns: 0 }, withdrawal(1, 'withdrawn')).kind).toBe('repeated');
  });

  test.each([0, -1, 0.5, Number.NaN])('is not of %d units', (units) => {
    expect(() => decideWithdrawal(view, request(units))).toThrow(InvariantError);
  });
});
