/** Gathers what an open withdrawal is missing, and ends it when all that was asked back has come. */
import type { Withdrawal } from '../domain/inventory/decide-withdrawal.ts';
import type { WithdrawResult } from '../ports/inventory-centre.ts';
import { type ReturnDeps, returnUnits } from './return-units.ts';

/** One round: fetches what is missing and tries to close. Harmless to repeat, and beside others who do the same. */
export async function gatherUnits(deps: ReturnDeps, withdrawal: Withdrawal): Promise<WithdrawResult> {
  const { inventoryCentre } = deps;
  const stock = await inventoryCentre.stock(withdrawal.saleId, []);
  if (!stock) return { kind: 'absent' };
  const missingUnits = withdrawal.units - stock.centre.freeUnits;
  const isDone = missingUnits <= 0 || (await returnUnits(deps, stock, missingUnits));
  // A gate that could not be asked may have what is missing: that is no reason to refuse.
  if (!isDone) return { kind: 'open', withdrawal, centre: stock.centre };
  return inventoryCentre.closeWithdrawal(withdrawal.id);
}
