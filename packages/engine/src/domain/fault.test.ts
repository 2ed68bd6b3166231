import { expect, test } from 'vitest';
import { FAULT_CODES, Fault } from './fault.ts';

test('a fault carries its code, whether to try again, and what caused it', () => {
  const cause = new Error('the socket broke');
  expect(new Fault('ledger_unavailable', 'no answer', cause)).toMatchObject({
    code: 'ledger_unavailable',
    retryable: true,
    cause,
  });
  expect(new Fault('ledger_newer').message).toBe(FAULT_CODES.ledger_newer.means);
  expect('cause' in new Fault('ledger_newer')).toBe(false);
});
