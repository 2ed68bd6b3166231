import type { Clock } from '../../ports/clock.ts';
import { ledgerContract } from '../../ports/ledger.contract.ts';
import { createMemoryLedger } from './ledger.ts';

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: () => () => {},
};

ledgerContract({
  name: 'memory',
  longestLife: 6,
  open: async () => ({ ledger: createMemoryLedger({ clock }), close: async () => {} }),
});
