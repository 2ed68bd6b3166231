/** Reads the books of a ledger itself. */
import {
  type AuditedSale,
  auditLedger,
  type InspectedStore,
  openStore,
  withStore,
} from '../../compose/stopped-store.ts';
import type { Settings } from '../../config/settings.ts';
import { CommandFailed } from '../command-failed.ts';
import type { Reconciled, ReconciledSale } from './report.ts';

export function reconcileLedger(
  sale: string | null,
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): Promise<Reconciled> {
  return withStore(openStore(settings), async (store) => {
    if (store === null) throw nothingHere(settings.dataDir);
    const audited = await auditToday(store);
    const asked = sale === null ? audited : audited.filter(({ books }) => books.saleId === sale);
    if (sale !== null && asked.length === 0) throw new CommandFailed(`The ledger ${store.where} has no sale ${sale}.`);
    return { source: 'ledger', sales: asked.map(judge) };
  });
}

async function auditToday({ ledger }: InspectedStore): Promise<readonly AuditedSale[]> {
  const pending = await ledger.pendingMigrations();
  if (pending.length === 0) return auditLedger(ledger);
  throw new CommandFailed('The ledger is of an older version. Bring it to date with `sluice migrate`, then ask again.');
}

function judge({ books, differences }: AuditedSale): ReconciledSale {
  const { saleId, totalUnits, freeUnits, quotas } = books;
  const sum = (units: (quota: (typeof quotas)[number]) => number) =>
    quotas.reduce((total, quota) => total + units(quota), 0);
  return {
    ...{ saleId, verdict: differences.length === 0 ? 'balanced' : 'unbalanced', total: totalUnits, differences },
    places: {
      free: freeUnits,
      ...{ available: null, claimed: null, inTransit: null },
      held: sum((quota) => quota.heldUnits),
      sold: sum((quota) => quota.soldUnits),
      quarantined: sum((quota) => quota.quarantinedUnits),
    },
    note: null,
  };
}

function nothingHere(dataDir: string): CommandFailed {
  return new CommandFailed(
    `The data directory ${dataDir} has no ledger, and nothing runs on it. Name another with --data-dir, or a deployment with --url.`,
  );
}
