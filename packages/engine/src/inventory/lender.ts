/**
 * Lends to quotas that are dry: all who find one dry at about the same time share one borrow, sized by what they want together;
 * whoever comes while it is under way waits for the next.
 */
import type { BorrowAnswer, Want } from '../domain/inventory/dry.ts';
import { type QuotaKey, quotaName } from '../domain/inventory/quota.ts';
import type { Clock } from '../ports/clock.ts';
import type { LendingLine } from '../ports/lending-line.ts';
import { borrowUnits } from './borrow-units.ts';
import type { DeliverDeps } from './deliver.ts';

export interface Lender {
  /** `want`: of those who ask. Faults of gate and ledger are thrown. */
  borrow(quota: QuotaKey, want: Want): Promise<BorrowAnswer>;
}

/** Where the ledger is. One at a time for a sale, so that two dry quotas do not fetch the same units from each other. */
export function createLender({ clock, ...deps }: DeliverDeps & { readonly clock: Clock }): Lender {
  const borrow = (quota: QuotaKey, want: Want) => borrowUnits(deps, quota, want);
  return createTurns(clock, { borrow, turnOf: ({ saleId }) => saleId });
}

/** Where the ledger is another process's. */
export function createFarLender(clock: Clock, line: LendingLine): Lender {
  return createTurns(clock, {
    async borrow(quota, want) {
      const answer = await line.ask({ kind: 'borrow', quota, want });
      const isClear = answer?.kind === 'came' || answer?.kind === 'none';
      return isClear ? { kind: answer.kind, leftUnits: answer.leftUnits } : { kind: 'unclear', leftUnits: 0 };
    },
    turnOf: quotaName,
  });
}

interface Turns {
  readonly borrow: (quota: QuotaKey, want: Want) => Promise<BorrowAnswer>;
  /** Borrows of the same turn come one after the other. */
  readonly turnOf: (quota: QuotaKey) => string;
}

/** The claims of one call to the gate are answered within this, and want their units together. */
const GATHER_MS = 2;

interface Borrow {
  want: Want;
  readonly result: Promise<BorrowAnswer>;
}

function createTurns(clock: Clock, { borrow, turnOf }: Turns): Lender {
  /** Not begun yet; by quota name. Bounded by the quotas that somebody waits for. */
  const gathering = new Map<string, Borrow>();
  const turns = new Map<string, Promise<unknown>>();

  async function begin(quota: QuotaKey, first: Want): Promise<BorrowAnswer> {
    await new Promise<void>((resolve) => clock.after(GATHER_MS, resolve));
    const name = turnOf(quota);
    const turn = (turns.get(name) ?? Promise.resolve()).then(() => {
      const { want } = gathering.get(quotaName(quota)) ?? { want: first };
      gathering.delete(quotaName(quota));
      return borrow(quota, want);
    });
    const ended = turn.catch(() => undefined);
    turns.set(name, ended);
    void ended.then(() => {
      if (turns.get(name) === ended) turns.delete(name);
    });
    return turn;
  }

  return {
    borrow(quota, want) {
      const known = gathering.get(quotaName(quota));
      if (known) {
        known.want = {
          units: Math.min(Number.MAX_SAFE_INTEGER, known.want.units + want.units),
          leastUnits: Math.min(known.want.leastUnits, want.leastUnits),
        };
        return known.result;
      }
      const result = begin(quota, want);
      gathering.set(quotaName(quota), { want, result });
      return result;
    },
  };
}
