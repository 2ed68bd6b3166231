/**
 * Every balance of a ledger rebuilt from its journal, and compared. Reads one moment and writes nothing: a database may be in
 * use meanwhile; the embedded ledger must be one on which nothing runs.
 */
import { connectMysql } from '../adapters/sql/dialects/mysql/open-ledger.ts';
import { connectPostgres } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { pendingMigrations } from '../adapters/sql/migrations/migrate.ts';
import { readRebuilt } from '../adapters/sql/read-rebuilt.ts';
import type { Settings } from '../config/settings.ts';
import { compareRebuilt, type RebuildDifference, type RebuiltSale } from '../domain/reconciliation/compare-rebuilt.ts';
import { CannotStart, databaseDoesNotOpen } from './cannot-start.ts';
import { openStoppedStore, withStore } from './stopped-store.ts';

export type { RebuildDifference };

export interface CheckedSale {
  readonly sale: RebuiltSale;
  readonly differences: readonly RebuildDifference[];
}

const OLDER = 'The ledger is of an older version. Bring it to date with a start of this one, then ask again.';

export async function rebuildCheck(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): Promise<readonly CheckedSale[]> {
  const { databaseUrl, dataDir } = settings;
  const sales = await (databaseUrl === undefined ? fromDirectory(dataDir) : fromDatabase(databaseUrl));
  return sales.map((sale) => ({ sale, differences: compareRebuilt(sale) }));
}

function fromDirectory(dataDir: string): Promise<readonly RebuiltSale[]> {
  return withStore(openStoppedStore(dataDir), async (store) => {
    if (!store) throw new CannotStart(`The data directory ${dataDir} has no ledger. Name another with --data-dir.`);
    if ((await store.ledger.pendingMigrations()).length > 0) throw new CannotStart(OLDER);
    return store.ledger.rebuilt();
  });
}

async function fromDatabase(url: string): Promise<readonly RebuiltSale[]> {
  const options = { url, maxConnections: 1 };
  const { db, dialect, close } = url.startsWith('postgres') ? connectPostgres(options) : connectMysql(options);
  try {
    if ((await pendingMigrations(db, dialect)).length > 0) throw new CannotStart(OLDER);
    return await readRebuilt(db);
  } catch (error) {
    throw databaseDoesNotOpen(url, dialect.faultOf(error) ?? error);
  } finally {
    await close();
  }
}
