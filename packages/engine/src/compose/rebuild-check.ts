/**
 * Every balance of a ledger rebuilt from its journal, and compared. Reads one moment and writes nothing: a database may be in
 * use meanwhile; the embedded ledger must be one on which nothing runs.
 */
import type { Settings } from '../config/settings.ts';
import { compareRebuilt, type RebuildDifference, type RebuiltSale } from '../domain/reconciliation/compare-rebuilt.ts';
import { CannotStart } from './cannot-start.ts';
import { openStore, withStore } from './stopped-store.ts';

export type { RebuildDifference };

export interface CheckedSale {
  readonly sale: RebuiltSale;
  readonly differences: readonly RebuildDifference[];
}

const OLDER = 'The ledger is of an older version. Bring it to date with a start of this one, then ask again.';

export async function rebuildCheck(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): Promise<readonly CheckedSale[]> {
  return withStore(openStore(settings), async (store) => {
    if (!store)
      throw new CannotStart(`The data directory ${settings.dataDir} has no ledger. Name another with --data-dir.`);
    if ((await store.ledger.pendingMigrations()).length > 0) throw new CannotStart(OLDER);
    return (await store.ledger.rebuilt()).map((sale) => ({ sale, differences: compareRebuilt(sale) }));
  });
}
