/** Settlement in SQL: one transaction reads what the group touches, asks the decision and applies its plan. */
import { invariant } from '../../domain/invariant.ts';
import { decideSettlement } from '../../domain/ledger/decide-settlement.ts';
import { MAX_CLAIMS_PER_SETTLEMENT, type Settlement } from '../../ports/settlement.ts';
import type { SqlContext } from './context.ts';
import { quarantineClaim } from './quarantine.ts';
import { writePlan } from './settlement-plan.ts';
import { readView } from './settlement-view.ts';

export function createSqlSettlement({ db, dialect, statements }: SqlContext): Settlement {
  return {
    async settle(claims) {
      invariant(claims.length <= MAX_CLAIMS_PER_SETTLEMENT, `a group has at most ${MAX_CLAIMS_PER_SETTLEMENT} claims`);
      if (claims.length === 0) return [];
      return db.transaction().execute(async (trx) => {
        const reader = { trx, dialect, statements };
        const view = await readView(reader, claims);
        const plan = decideSettlement(view, claims);
        await writePlan(reader, view, plan);
        return plan.outcomes;
      });
    },

    quarantine: (claim, reason) =>
      db.transaction().execute((trx) => quarantineClaim({ trx, dialect, statements }, claim, reason)),
  };
}
