/** A ledger as compose stacks it over a database with many writers. */
import { ledgerWithRetry } from '../../funnel/ledger/ledger-with-retry.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { systemClock } from '../system/clock.ts';

export function patientLedger(ledger: Ledger): Ledger {
  return ledgerWithRetry(ledger, { clock: systemClock, random: Math.random });
}
