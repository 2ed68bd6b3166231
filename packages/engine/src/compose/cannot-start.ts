/** Why a deployment does not start, as one sentence for the person who started it: what, where, and what to do. */
import { connectAdvice } from '../adapters/sql/connect-advice.ts';
import { Fault } from '../domain/fault.ts';

export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** What a person can be told of an error without seeing where it came from; null when it is a mistake of ours. */
export function sentenceOf(error: unknown): string | null {
  return error instanceof CannotStart || error instanceof Fault ? error.message : null;
}

/** The sentence for what opening the ledger threw; anything but a fault of the world is a mistake of ours and stays. */
export function ledgerDoesNotOpen(file: string, error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const reason = error.message.replace(/\.?$/, '.');
  const advice = CORRUPT.test(reason) ? CORRUPT_ADVICE : (LEDGER_ADVICE[error.code] ?? '');
  const sentence = `The ledger ${file} cannot be opened. ${reason} ${advice}`;
  return new CannotStart(sentence.trim(), { cause: error });
}

const LEDGER_ADVICE: Readonly<Partial<Record<Fault['code'], string>>> = {
  ledger_unavailable: 'Start again; if it stays so, another program may have the file open.',
  ledger_newer: 'Start the version that wrote it, or a newer one.',
  storage_full: 'Make room on its disk.',
  storage_unusable: 'Give this user the right to read and write it, or restore it from a backup.',
};

const CORRUPT = /malformed|not a database|disk image/i;
const CORRUPT_ADVICE =
  'Its content is damaged. Keep a copy of the data directory, then put the last good backup of the ledger in its place; with none, move the file away: a start makes an empty ledger, and what was sold is lost.';

/** Likewise for a database. `address`: without user and password. */
export function databaseDoesNotOpen(address: string, error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const reason = error.message.replace(/\.?$/, '.');
  const advice = connectAdvice(error.cause) ?? DATABASE_ADVICE[error.code] ?? '';
  const sentence = `The ledger at ${address} cannot be opened. ${reason} ${advice}`;
  return new CannotStart(sentence.trim(), { cause: error });
}

const DATABASE_ADVICE: Readonly<Partial<Record<Fault['code'], string>>> = {
  ledger_unavailable: 'Start it, or set SLUICE_DATABASE_URL to where it is.',
  ledger_refused: 'Create the database, or let this user connect to it and create tables in it.',
  ledger_half_migrated:
    'MariaDB keeps what a step has made: restore the backup of before the update; where there was no ledger yet, drop the database and create it again.',
  ledger_newer: 'Start the version that wrote it, or a newer one.',
  storage_full: 'Make room on its disk.',
};

/** Likewise for a gate in Redis. */
export function gateDoesNotOpen(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code === 'gate_unusable') return error;
  return new CannotStart(`${error.message.replace(/\.?$/, '.')} Start it, or correct SLUICE_REDIS_URL.`, {
    cause: error,
  });
}

/** Likewise for a socket that cannot be listened on. */
export function cannotListen(host: string, port: number, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  switch (code) {
    case 'EADDRINUSE':
      return new CannotStart(
        `Port ${port} on ${host} is in use. Stop the program that has it, or choose another with --port (0: any free one).`,
        { cause: error },
      );
    case 'EACCES':
      return new CannotStart(`This user may not listen on port ${port}. Choose one above 1023 with --port.`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CannotStart(`${host} is no address of this machine. Choose another with --host.`, { cause: error });
    default:
      return error;
  }
}
