/** Where the ledger of a data directory's deployment is: a start must not open an empty one beside the one that has sold. */
import { CannotStart } from './cannot-start.ts';
import { readLedgerAddress } from './deployment-files.ts';

/** A database as people may read it: host and name, and neither user, password nor options. */
export function databaseAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** For whoever was told of no database. */
export function refuseLedgerElsewhere(dataDir: string): void {
  const address = readLedgerAddress(dataDir);
  if (address === null) return;
  throw new CannotStart(
    `The ledger of the data directory ${dataDir} is in the database ${address}: set SLUICE_DATABASE_URL to it, or name another directory with --data-dir.`,
  );
}
