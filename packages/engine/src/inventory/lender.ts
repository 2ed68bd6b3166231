/**
 * Lends to quotas that are dry: all who find one dry at about the same time share one borrow, sized by what they want together,
 * and the borrows of a sale come one after the other, so that two dry quotas do not fetch the same units from each other.
 */
import type { SaleId } from '../domain/ids.ts';
import { type QuotaKey, quotaName } from '../domain/inventory/quota.ts';
import type { Clock } from '../ports/clock.ts';
import { type BorrowResult, borrowUnits } from './borrow-units.ts';
import type { DeliverDeps } from './deliver.ts';

export interface Lender {
  /** `units`: what one buyer wants. Faults of gate and ledger are thrown. */
  borrow(quota: QuotaKey, units: number): Promise<BorrowResult>;
}

export interface LenderDeps extends DeliverDeps {
  readonly clock: Clock;
}

/** The claims of one call to the gate are answered within this, and want their units together. */
const GATHER_MS = 2;

interface Borrow {
  units: number;
  readonly result: Promise<BorrowResult>;
}

export function createLender(deps: LenderDeps): Lender {
  /** Not begun yet; by quota name. Bounded by the quotas that somebody waits for. */
  const gathering = new Map<string, Borrow>();
  const turns = new Map<SaleId, Promise<unknown>>();

  async function run(quota: QuotaKey): Promise<BorrowResult> {
    await new Promise<void>((resolve) => deps.clock.after(GATHER_MS, resolve));
    const before = turns.get(quota.saleId);
    const turn = (before ?? Promise.resolve()).then(() => {
      const units = gathering.get(quotaName(quota))?.units ?? 1;
      gathering.delete(quotaName(quota));
      return borrowUnits(deps, quota, units);
    });
    const ended = turn.catch(() => undefined);
    turns.set(quota.saleId, ended);
    void ended.then(() => {
      if (turns.get(quota.saleId) === ended) turns.delete(quota.saleId);
    });
    return turn;
  }

  return {
    borrow(quota, units) {
      const known = gathering.get(quotaName(quota));
      if (known) {
        known.units = Math.min(Number.MAX_SAFE_INTEGER, known.units + units);
        return known.result;
      }
      const borrow = { units, result: run(quota) };
      gathering.set(quotaName(quota), borrow);
      return borrow.result;
    },
  };
}
