/**
 * The embedded ledger: SQLite in a worker thread of its own, because its API blocks the thread that calls it.
 *
 * Promises what the ledger ports promise; what was answered is on the disk. When the worker dies, calls that were sent end
 * with `outcome_unknown` and later ones with `ledger_unavailable`. It is not started again: what killed it is not known.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../../domain/fault.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { ledgerOf } from '../ledger-methods.ts';
import { type FromWorker, received, type ToWorker, type WorkerSettings } from './messages.ts';
import { createPendingCalls } from './pending-calls.ts';

export type SqliteLedger = Ledger & { close(): Promise<void> };

export function createSqliteLedger(settings: WorkerSettings): Promise<SqliteLedger> {
  return ledgerOfWorker(startWorker(settings));
}

export async function ledgerOfWorker(worker: Worker): Promise<SqliteLedger> {
  const pending = createPendingCalls();
  let end: string | null = null;

  function finish(reason: string): void {
    end ??= reason;
    pending.failAll(new Fault('outcome_unknown', `The ledger ended before it answered: ${end}.`));
  }

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.once('error', (error) => finish(error.message));
  worker.once('exit', () => finish('its worker ended'));
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'answer') pending.answer(message.id, message.value);
    if (message.kind === 'error') pending.fail(message.id, received(message.error));
  });

  await opened(worker);
  const send = (message: ToWorker): void => worker.postMessage(message);
  return {
    ...ledgerOf(async (call) => {
      if (end !== null) throw new Fault('ledger_unavailable', `The ledger is not running: ${end}.`);
      return pending.add((id) => send({ kind: 'call', id, call }));
    }),
    /** Waits for the calls that were sent before. */
    async close() {
      end ??= 'it was closed';
      send({ kind: 'close' });
      await exited;
    },
  };
}

export function startWorker(settings: WorkerSettings): Worker {
  // From source, our own packages are read from their source too.
  const execArgv = import.meta.url.endsWith('.ts') ? ['--conditions=source'] : [];
  return new Worker(new URL('./start-worker.mjs', import.meta.url), { workerData: settings, execArgv });
}

/** Resolves when the worker has the ledger open. */
async function opened(worker: Worker): Promise<void> {
  const [first] = (await Promise.race([once(worker, 'message'), once(worker, 'exit')])) as [FromWorker | number];
  if (typeof first === 'number') throw new Fault('ledger_unavailable', 'The ledger ended before it was open.');
  if (first.kind === 'not_opened') throw received(first.error);
}
