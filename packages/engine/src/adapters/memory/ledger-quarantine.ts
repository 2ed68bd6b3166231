/** What was set aside, in memory. */
import { quotaName, segmentName } from '../../domain/inventory/quota.ts';
import { decideDrop } from '../../domain/ledger/decide-quarantine.ts';
import { claimTakenOut } from '../../domain/ledger/entry.ts';
import { claimId, quotaOf, segmentOf } from '../../domain/order/claim.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Quarantine, type SetAside, UNREAD_REASON, unreadId } from '../../ports/quarantine.ts';
import type { UnreadEntry } from '../../ports/queue.ts';
import { commit } from './ledger-commit.ts';
import type { QuarantineRow, Rows } from './ledger-rows.ts';
import { settleIn } from './ledger-settlement.ts';

export function createMemoryQuarantine(rows: Rows, clock: Clock): Quarantine {
  return {
    async find(id) {
      const row = rows.quarantine.get(id);
      const entry = rows.unread.get(id);
      if (row) return asideOf(row);
      return entry ? unreadAside(id, entry) : null;
    },

    async replay(id) {
      const row = rows.quarantine.get(id);
      if (!row) return null;
      const [outcome = null] = takenOut(rows, row, () => settleIn(rows, clock, [row.claim]));
      return outcome;
    },

    async drop(id) {
      if (rows.unread.delete(id)) return { kind: 'dropped', outcome: null };
      const row = rows.quarantine.get(id);
      if (!row) return { kind: 'absent' };
      const { claim } = row;
      const sale = rows.sales.get(claim.saleId)?.sale ?? null;
      const segment = rows.segments.get(segmentName(segmentOf(claim))) ?? null;
      const decision = decideDrop({ sale, segment, units: row.units }, claim);
      if (decision === 'sale_settled') return { kind: 'sale_settled' };
      const settle = () => (decision === 'forget' ? [] : settleIn(rows, clock, [claim], 'dropped'));
      const [outcome = null] = takenOut(rows, row, settle);
      return { kind: 'dropped', outcome };
    },

    async keep(entries) {
      for (const entry of entries) {
        if (!rows.unread.has(unreadId(entry))) rows.unread.set(unreadId(entry), entry);
      }
    },
    async list(after, max) {
      const claims = [...rows.quarantine.values()].map(asideOf);
      const unread = [...rows.unread].map(([id, entry]) => unreadAside(id, entry));
      return [...claims, ...unread]
        .filter(({ id }) => after === null || id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, max);
    },
  };
}

/** One step, all of it or nothing. */
function takenOut<Result>(rows: Rows, row: QuarantineRow, then: () => Result): Result {
  const { claim, units } = row;
  const quota = rows.quotas.get(quotaName(quotaOf(claim)));
  const isBacked = quota !== undefined && units > 0;
  commit(rows, {
    closedQuarantine: [claimId(claim)],
    quotas: isBacked ? [{ ...quota, quarantinedUnits: quota.quarantinedUnits - units }] : [],
    entries: isBacked ? [claimTakenOut(claim)] : [],
  });
  try {
    return then();
  } catch (error) {
    rows.quarantine.set(claimId(claim), row);
    if (isBacked) {
      rows.quotas.set(quotaName(quota), quota);
      rows.journal.get(claim.saleId)?.pop();
    }
    throw error;
  }
}

function unreadAside(id: string, entry: UnreadEntry): SetAside {
  return { id, saleId: entry.segment.saleId, units: 0, reason: UNREAD_REASON, what: { kind: 'unread', entry } };
}

function asideOf({ claim, units, reason }: QuarantineRow): SetAside {
  return { id: claimId(claim), saleId: claim.saleId, units, reason, what: { kind: 'claim', claim } };
}
