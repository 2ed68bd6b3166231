/**
 * A ledger whose transactions are begun again when others were in their way. For databases where many write at once.
 *
 * Every call of a ledger is one transaction, so what was undone was undone as a whole and is sent again as it is. Bounded in
 * attempts and in time; what is left then is the fault itself, which is retryable for whoever has more patience.
 *
 * - `ledger_conflict` (a deadlock, a serialization failure, a lock not to be had in time): again, after a random wait.
 * - `ledger_constraint`: once more, at once. A row that another transaction wrote between our look and our write breaks the
 *   same laws as a mistake does; the second look sees it, and a decision that saw it is not refused. A mistake is, again.
 * - `outcome_unknown`: calls that answer a repeat as they answered the first time are repeated, and so find out what became of
 *   it by reading: settling a claim that has its order answers with that order and writes nothing. The others pass it on.
 */
import { Fault } from '../../domain/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';

interface RetryParts {
  readonly clock: Clock;
  /** From 0 to below 1, evenly. */
  readonly random: () => number;
}

/** Eight that meet on one row are through after three or four. */
const MAX_ATTEMPTS = 8;
/** A database takes a second to see a deadlock and two to give a lock up. */
const PATIENCE_MS = 10_000;
const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 500;

/** What answers a repeat as the first time, whether the first was carried out or not. */
const REPEATS_TELL = new Set(['settle', 'quarantine', 'keep', 'allot', 'finishMove', 'finishRelease']);

export function ledgerWithRetry(ledger: Ledger, { clock, random }: RetryParts): Ledger {
  async function patiently<Answer>(method: string, call: () => Promise<Answer>): Promise<Answer> {
    const startedMs = clock.monotonicMs();
    let wasRefused = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const isOver = attempt === MAX_ATTEMPTS || clock.monotonicMs() - startedMs > PATIENCE_MS;
        if (isOver || !isWorthIt(error, method, wasRefused)) throw error;
        if (error.code === 'ledger_constraint') wasRefused = true;
        else await sleep(waitMs(attempt, random()));
      }
    }
  }
  const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => clock.after(delayMs, resolve));

  return {
    sales: eachMethod(ledger.sales, patiently),
    orders: eachMethod(ledger.orders, patiently),
    settlement: eachMethod(ledger.settlement, patiently),
    quarantine: eachMethod(ledger.quarantine, patiently),
    inventoryCentre: eachMethod(ledger.inventoryCentre, patiently),
    journal: eachMethod(ledger.journal, patiently),
    idempotency: eachMethod(ledger.idempotency, patiently),
    outbox: eachMethod(ledger.outbox, patiently),
    webhooks: eachMethod(ledger.webhooks, patiently),
    identity: eachMethod(ledger.identity, patiently),
    // The next round says it again.
    roster: ledger.roster,
  };
}

function isWorthIt({ code }: Fault, method: string, wasRefused: boolean): boolean {
  if (code === 'ledger_conflict') return true;
  if (code === 'ledger_constraint') return !wasRefused;
  return code === 'outcome_unknown' && REPEATS_TELL.has(method);
}

/** Twice as long each time, and never the same for two. */
function waitMs(attempt: number, random: number): number {
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
}

type Wrap = (method: string, call: () => Promise<unknown>) => Promise<unknown>;

/** All of a port's methods are calls of the database. */
function eachMethod<Port extends object>(port: Port, wrap: Wrap): Port {
  const methods = Object.entries(port) as [string, (...args: readonly unknown[]) => Promise<unknown>][];
  const wrapped = methods.map(([name, method]) => [
    name,
    (...args: readonly unknown[]) => wrap(name, () => method(...args)),
  ]);
  return Object.fromEntries(wrapped) as Port;
}
