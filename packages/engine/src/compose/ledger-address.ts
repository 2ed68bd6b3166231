/** Where the ledger of a data directory's deployment is: a start must not open an empty one beside the one that has sold. */
import { CannotStart } from './cannot-start.ts';
import { ledgerAddressFile, readLedgerAddress } from './deployment-files.ts';

/** A database as people may read it: host and name, and neither user, password nor options. */
export function databaseAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** For whoever is about to sell from a database: it must be the one that the directory's deployment has sold from. */
export function refuseAnotherDatabase(dataDir: string, url: string): void {
  const remembered = readLedgerAddress(dataDir);
  if (remembered === null || samePlace(remembered) === samePlace(url)) return;
  throw new CannotStart(
    `The ledger of the data directory ${dataDir} is in the database ${remembered}, and SLUICE_DATABASE_URL names ${databaseAddress(url)}. Set it to the first; if the ledger has been moved to the second, delete ${ledgerAddressFile(dataDir)} and start again; for another deployment, name another directory with --data-dir.`,
  );
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { postgres: '5432', mysql: '3306' };

/** However it is spelled. */
function samePlace(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const scheme = protocol.startsWith('postgres') ? 'postgres' : 'mysql';
  return `${scheme}://${hostname.toLowerCase()}:${port || DEFAULT_PORTS[scheme]}${pathname}`;
}

/** For whoever was told of no database. */
export function refuseLedgerElsewhere(dataDir: string): void {
  const address = readLedgerAddress(dataDir);
  if (address === null) return;
  throw new CannotStart(
    `The ledger of the data directory ${dataDir} is in the database ${address}: set SLUICE_DATABASE_URL to it, or name another directory with --data-dir.`,
  );
}
