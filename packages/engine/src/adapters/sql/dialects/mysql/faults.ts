/** Which fault an error of MariaDB is. Codes: https://mariadb.com/kb/en/mariadb-error-code-reference/ */
import { Fault, type FaultCode } from '../../../../domain/fault.ts';
import { connectAdvice } from '../../connect-advice.ts';

const FAULT_OF_NUMBER: Readonly<Record<number, FaultCode>> = {
  1021: 'storage_full', // disk full
  1037: 'ledger_unavailable', // out of memory
  1040: 'ledger_unavailable', // too many connections
  1044: 'ledger_refused', // access to the database denied
  1045: 'ledger_refused', // access denied
  1048: 'ledger_constraint', // a column cannot be null
  1049: 'ledger_refused', // unknown database
  1053: 'ledger_unavailable', // shutting down
  1062: 'ledger_constraint', // duplicate key
  1105: 'ledger_unavailable', // unknown error
  1114: 'storage_full', // the table is full
  1130: 'ledger_refused', // not from this host
  1142: 'ledger_refused', // command denied to the user
  1193: 'ledger_refused', // unknown variable: MySQL, where they have other names
  1226: 'ledger_unavailable', // more than this user may have
  1203: 'ledger_unavailable', // too many connections of this user
  1205: 'ledger_conflict', // a lock was not to be had in time
  1213: 'ledger_conflict', // deadlock
  1264: 'ledger_constraint', // out of range
  1265: 'ledger_constraint', // data truncated
  1290: 'ledger_unavailable', // read-only
  1317: 'ledger_unavailable', // interrupted
  1366: 'ledger_constraint', // a value that its column does not hold
  1406: 'ledger_constraint', // data too long
  1451: 'ledger_constraint', // foreign key: the parent row is needed
  1452: 'ledger_constraint', // foreign key: there is no parent row
  1644: 'ledger_constraint', // signalled by a trigger
  1698: 'ledger_refused', // access denied, for want of a plugin
  1792: 'ledger_unavailable', // read-only transaction
  1927: 'ledger_unavailable', // killed
  1969: 'ledger_conflict', // a statement took too long, and was undone
  4025: 'ledger_constraint', // check constraint
};

interface ServerError extends Error {
  readonly errno: number;
  readonly sqlState: string;
}

/** Whether the server answered, if with an error; anything else came from the connection. */
export function isServerError(error: unknown): error is ServerError {
  if (!(error instanceof Error) || !('errno' in error && 'sqlState' in error)) return false;
  return typeof error.errno === 'number' && error.errno > 0 && typeof error.sqlState === 'string';
}

export function faultOfMysql(error: unknown): Fault | null {
  if (!isServerError(error)) return null;
  const { errno, message } = error;
  const fault = FAULT_OF_NUMBER[errno];
  return fault ? new Fault(fault, `MariaDB: ${message} (${errno})`, error) : null;
}

/** A commit that failed with this: was it carried out? Only a server that says why it was not is to be believed. */
export function faultOfCommit(error: unknown): Fault {
  const fault = faultOfMysql(error);
  if (fault && fault.code !== 'ledger_unavailable') return fault;
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('outcome_unknown', `MariaDB: the answer to a commit was lost: ${reason}`, error);
}

/** A connection that could not be made, or broke, before a commit was sent: nothing was carried out. */
export function faultOfConnection(error: unknown): Fault {
  const fault = faultOfMysql(error);
  if (fault) return fault;
  const { code, errno = 0, message } = error as NodeJS.ErrnoException;
  // It was reached: what is said before anybody has said who they are has no state, and a certificate has no number.
  if (connectAdvice(error) !== null)
    return new Fault(FAULT_OF_NUMBER[errno] ?? 'ledger_unavailable', `MariaDB: ${message} (${code ?? errno})`, error);
  return new Fault('ledger_unavailable', `MariaDB cannot be reached: ${message || (code ?? 'no connection')}`, error);
}
