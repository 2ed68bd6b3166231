/** Which fault an error of SQLite is. Codes: https://www.sqlite.org/rescode.html */
import { Fault, type FaultCode } from '../../../../domain/fault.ts';

const FAULT_OF_CODE: Readonly<Record<number, FaultCode>> = {
  3: 'storage_unusable', // SQLITE_PERM
  5: 'ledger_unavailable', // SQLITE_BUSY
  6: 'ledger_unavailable', // SQLITE_LOCKED
  8: 'storage_unusable', // SQLITE_READONLY
  10: 'ledger_unavailable', // SQLITE_IOERR
  11: 'storage_unusable', // SQLITE_CORRUPT
  13: 'storage_full', // SQLITE_FULL
  14: 'storage_unusable', // SQLITE_CANTOPEN
  19: 'ledger_constraint', // SQLITE_CONSTRAINT
  26: 'storage_unusable', // SQLITE_NOTADB
};

// SQLITE_IOERR_FSYNC: the commit is written, and nobody knows whether the disk has it.
const IOERR_FSYNC = 1034;

export function faultOfSqlite(error: unknown): Fault | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  const { errcode, message } = error;
  if (errcode === IOERR_FSYNC) return new Fault('outcome_unknown', `SQLite: ${message}`, error);
  // The low byte is the primary code; what is above tells more of it.
  const code = FAULT_OF_CODE[errcode & 0xff];
  return code ? new Fault(code, `SQLite: ${message}`, error) : null;
}
