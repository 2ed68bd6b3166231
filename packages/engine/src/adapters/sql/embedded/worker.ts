/** The worker's side: opens the ledger of one file and answers calls until it is told to close. */
import { parentPort, workerData } from 'node:worker_threads';
import { invariant } from '../../../domain/invariant.ts';
import { type OpenLedger, openSqliteLedger } from '../dialects/sqlite/open-ledger.ts';
import { invokeMethod, type LedgerCall } from '../ledger-methods.ts';
import { type FromWorker, sendable, type ToWorker, type WorkerSettings } from './messages.ts';

invariant(parentPort, 'this file runs as a worker');
const port = parentPort;

function send(message: FromWorker): void {
  port.postMessage(message);
}

async function answer({ ledger }: OpenLedger, id: number, call: LedgerCall): Promise<void> {
  try {
    send({ kind: 'answer', id, value: await invokeMethod(ledger, call) });
  } catch (error) {
    send({ kind: 'error', id, error: sendable(error) });
  }
}

/** A call is over before the next message is taken, since SQLite has no asynchronous step: none is open at the close. */
async function take(opened: OpenLedger, message: ToWorker): Promise<void> {
  if (message.kind === 'call') return answer(opened, message.id, message.call);
  await opened.close();
  port.close();
}

/** Ends the thread, which tells the main thread. */
function crash(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

try {
  const opened = await openSqliteLedger((workerData as WorkerSettings).file);
  port.on('message', (message: ToWorker) => {
    take(opened, message).catch(crash);
  });
  send({ kind: 'open' });
} catch (error) {
  send({ kind: 'not_opened', error: sendable(error) });
}
