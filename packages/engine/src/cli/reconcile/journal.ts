/** Holds a ledger to its journal alone, whichever database it is in. */
import { type CheckedSale, rebuildCheck } from '../../compose/rebuild-check.ts';
import type { Settings } from '../../config/settings.ts';
import { CommandFailed } from '../command-failed.ts';
import type { Reconciled, ReconciledSale } from './report.ts';

export async function reconcileJournal(
  asked: string | null,
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): Promise<Reconciled> {
  const checked = await rebuildCheck(settings);
  const sales = asked === null ? checked : checked.filter(({ sale }) => sale.saleId === asked);
  if (asked !== null && sales.length === 0) throw new CommandFailed(`The ledger has no sale ${asked}.`);
  return { source: 'journal', sales: sales.map(judge) };
}

function judge({ sale, differences }: CheckedSale): ReconciledSale {
  const { saleId, totalUnits, freeUnits, quotas, openUnits } = sale;
  const sum = (units: (quota: (typeof quotas)[number]) => number) =>
    quotas.reduce((total, quota) => total + units(quota), 0);
  return {
    ...{ saleId, verdict: differences.length === 0 ? 'balanced' : 'unbalanced', total: totalUnits, differences },
    places: {
      free: freeUnits,
      ...{ available: null, claimed: null, inTransit: openUnits.reduce((total, { units }) => total + units, 0) },
      held: sum((quota) => quota.heldUnits),
      sold: sum((quota) => quota.soldUnits),
      quarantined: sum((quota) => quota.quarantinedUnits),
    },
    note: null,
  };
}
