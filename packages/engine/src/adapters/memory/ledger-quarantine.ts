/** What was set aside, in memory. */
import { claimId } from '../../domain/order/claim.ts';
import { type Quarantine, type SetAside, UNREAD_REASON, unreadId } from '../../ports/quarantine.ts';
import type { QuarantineRow, Rows } from './ledger-rows.ts';

export function createMemoryQuarantine(rows: Rows): Quarantine {
  return {
    async keep(entries) {
      for (const entry of entries) {
        if (!rows.unread.has(unreadId(entry))) rows.unread.set(unreadId(entry), entry);
      }
    },
    async list(after, max) {
      const claims = [...rows.quarantine.values()].map(asideOf);
      const unread = [...rows.unread].map(
        ([id, entry]): SetAside => ({
          ...{ id, saleId: entry.segment.saleId, units: 0, reason: UNREAD_REASON, what: { kind: 'unread', entry } },
        }),
      );
      return [...claims, ...unread]
        .filter(({ id }) => after === null || id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, max);
    },
  };
}

function asideOf({ claim, units, reason }: QuarantineRow): SetAside {
  return { id: claimId(claim), saleId: claim.saleId, units, reason, what: { kind: 'claim', claim } };
}
