/**
 * Settlement in SQL: one transaction reads what the group touches, asks the decision and applies its changes. It begins by taking
 * orders and buyers for new, as nearly all are, and does not look for them: what is there already is refused by the schema (each
 * claim writes its order's row, each buyer's units are checked), and the group is settled again, by what was looked up.
 */
import { Fault } from '../../domain/fault.ts';
import { invariant } from '../../domain/invariant.ts';
import {
  decideSettlement,
  type SettlementOutcome,
  type SettlementView,
} from '../../domain/ledger/decide-settlement.ts';
import { type Claim, comparePositions, type Position } from '../../domain/order/claim.ts';
import type { RefusalCause } from '../../domain/order/order.ts';
import { limitScopeOf } from '../../domain/sale/limit-scope.ts';
import { MAX_CLAIMS_PER_SETTLEMENT, type Settlement } from '../../ports/settlement.ts';
import type { SqlContext } from './context.ts';
import { quarantineClaim } from './quarantine.ts';
import { segmentColumns } from './rows.ts';
import { type Known, type Reader, readView } from './settlement-view.ts';
import { writeChanges } from './write-changes.ts';

export function createSqlSettlement({ db, dialect, statements }: SqlContext): Settlement {
  return {
    async settle(claims) {
      invariant(claims.length <= MAX_CLAIMS_PER_SETTLEMENT, `a group has at most ${MAX_CLAIMS_PER_SETTLEMENT} claims`);
      if (claims.length === 0) return [];
      const settle = (known: Known) =>
        db.transaction().execute((trx) => settleIn({ trx, dialect, statements }, claims, { known }));
      try {
        return await settle('none');
      } catch (error) {
        const fault = error instanceof Fault ? error : dialect.faultOf(error);
        if (fault?.code !== 'ledger_constraint') throw error;
        return settle('looked_up');
      }
    },

    quarantine: (claim, reason) =>
      db.transaction().execute((trx) => quarantineClaim({ trx, dialect, statements }, claim, reason)),
  };
}

export interface HowToSettle {
  readonly known: Known;
  /** Why a person ends these claims. */
  readonly forced?: RefusalCause;
}

export async function settleIn(
  reader: Reader,
  claims: readonly Claim[],
  { known, forced }: HowToSettle,
): Promise<readonly SettlementOutcome[]> {
  const view = await readView(reader, claims, known);
  const { outcomes, changes } = decideSettlement(view, claims, forced);
  // Why a claim is refused depends on what there is, and no schema objects to a wrong reason.
  const isGuess = known === 'none' && outcomes.some(({ kind }) => kind !== 'settled');
  if (isGuess) return settleIn(reader, claims, { known: 'looked_up', ...(forced && { forced }) });
  await writePositions(reader, view, changes.settledThrough);
  await writeChanges(reader, changes, limitsIn(view));
  return outcomes;
}

function limitsIn(view: SettlementView): (limitScope: string) => number {
  const limits = new Map([...view.sales.values()].map((sale) => [limitScopeOf(sale), sale.limitUnits]));
  return (limitScope) => {
    const limitUnits = limits.get(limitScope);
    invariant(limitUnits !== undefined, `a sale of limit scope ${limitScope} was read`);
    return limitUnits;
  };
}

async function writePositions(
  { trx, statements }: Reader,
  view: SettlementView,
  settledThrough: ReadonlyMap<string, Position>,
): Promise<void> {
  for (const [name, position] of [...settledThrough].sort()) {
    const segment = view.segments.get(name);
    invariant(segment, `segment ${name} was read`);
    if (comparePositions(position, segment.settledThrough) <= 0) continue;
    const { epoch: throughEpoch, seq: throughSeq } = position;
    await statements.settleThrough(trx, { ...segmentColumns(segment), throughEpoch, throughSeq });
  }
}
