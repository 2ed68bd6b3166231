/** Which fault an error of PostgreSQL is. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
import { Fault, type FaultCode } from '../../../../domain/fault.ts';
import { connectAdvice } from '../../connect-advice.ts';

/** Those that differ from their class. */
const FAULT_OF_STATE: Readonly<Record<string, FaultCode>> = {
  '25006': 'ledger_unavailable', // read-only: a standby, or a primary that is no longer one
  '25P03': 'ledger_conflict', // idle in its transaction for too long, which was undone
  '40003': 'outcome_unknown', // statement completion unknown
  '42501': 'ledger_refused', // insufficient privilege
  '53100': 'storage_full',
  '55P03': 'ledger_conflict', // a lock was not to be had in time
  '57014': 'ledger_conflict', // a statement took too long, and was undone
};

/** By the first two letters. */
const FAULT_OF_CLASS: Readonly<Record<string, FaultCode>> = {
  '08': 'ledger_unavailable', // connection
  '22': 'ledger_constraint', // a value that its column does not hold
  '23': 'ledger_constraint',
  '28': 'ledger_refused', // who may connect
  '3D': 'ledger_refused', // no such database
  '40': 'ledger_conflict', // serialization failure, deadlock
  '53': 'ledger_unavailable', // out of connections, memory
  '54': 'ledger_constraint', // a key too long for its index
  '57': 'ledger_unavailable', // shut down, starting, crashed
  '58': 'ledger_unavailable', // system error
  XX: 'ledger_unavailable', // internal error
};

interface ServerError extends Error {
  readonly code: string;
  readonly severity: string;
}

/** Whether the server answered, if with an error; anything else came from the connection. */
export function isServerError(error: unknown): error is ServerError {
  if (!(error instanceof Error) || !('code' in error && 'severity' in error)) return false;
  return typeof error.code === 'string' && error.code.length === 5;
}

export function faultOfPostgres(error: unknown): Fault | null {
  if (!isServerError(error)) return null;
  const { code, message } = error;
  const fault = FAULT_OF_STATE[code] ?? FAULT_OF_CLASS[code.slice(0, 2)];
  return fault ? new Fault(fault, `PostgreSQL: ${message} (${code})`, error) : null;
}

/** A commit that failed with this: was it carried out? Only a server that says why it was not is to be believed. */
export function faultOfCommit(error: unknown): Fault {
  const fault = faultOfPostgres(error);
  if (fault && !['ledger_unavailable', 'ledger_refused'].includes(fault.code)) return fault;
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('outcome_unknown', `PostgreSQL: the answer to a commit was lost: ${reason}`, error);
}

/** A connection that could not be made, or broke, before a commit was sent: nothing was carried out. */
export function faultOfConnection(error: unknown): Fault {
  const fault = faultOfPostgres(error);
  if (fault) return fault;
  const { code, message } = error as NodeJS.ErrnoException;
  // It was reached, and it is another thing that is wrong: its certificate, say.
  if (connectAdvice(error) !== null) return new Fault('ledger_unavailable', `PostgreSQL: ${message}`, error);
  // Node gathers the attempts at several addresses in an error without a message.
  return new Fault(
    'ledger_unavailable',
    `PostgreSQL cannot be reached: ${message || (code ?? 'no connection')}`,
    error,
  );
}
