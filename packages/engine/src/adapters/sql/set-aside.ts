/** What was set aside, in SQL: claims and entries in one table, told apart by what their row holds. */
import type { Claim } from '../../domain/order/claim.ts';
import { type DropResult, type Quarantine, type SetAside, UNREAD_REASON, unreadId } from '../../ports/quarantine.ts';
import type { UnreadEntry } from '../../ports/queue.ts';
import type { SqlContext } from './context.ts';
import type { QuarantineTable } from './schema.ts';
import { dropClaim, replayClaim } from './take-out.ts';

/** Of entries that cannot be read the row holds this instead of a claim. */
interface Unread {
  readonly unread: UnreadEntry;
}

export function createSqlQuarantine({ db, dialect, statements }: SqlContext): Quarantine {
  async function find(id: string): Promise<SetAside | null> {
    const row = await db.selectFrom('quarantine').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? asideOf(row) : null;
  }

  return {
    find,
    async replay(id) {
      const aside = await find(id);
      if (!isClaim(aside)) return null;
      return db.transaction().execute((trx) => replayClaim({ trx, dialect, statements }, aside));
    },
    async drop(id): Promise<DropResult> {
      const aside = await find(id);
      if (!aside) return { kind: 'absent' };
      if (isClaim(aside)) return db.transaction().execute((trx) => dropClaim({ trx, dialect, statements }, aside));
      const { numDeletedRows } = await db.deleteFrom('quarantine').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows === 0n ? { kind: 'absent' } : { kind: 'dropped', outcome: null };
    },
    async keep(entries) {
      if (entries.length === 0) return;
      await db.transaction().execute((trx) => statements.setAside(trx, entries.map(rowOf)));
    },
    async list(after, max) {
      const rows = await db
        .selectFrom('quarantine')
        .selectAll()
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(max)
        .execute();
      return rows.map(asideOf);
    },
  };
}

function isClaim(aside: SetAside | null): aside is SetAside & { readonly what: { readonly kind: 'claim' } } {
  return aside?.what.kind === 'claim';
}

function rowOf(entry: UnreadEntry): QuarantineTable {
  const claim = JSON.stringify({ unread: entry } satisfies Unread);
  return { id: unreadId(entry), sale_id: entry.segment.saleId, claim, quarantined_units: 0, reason: UNREAD_REASON };
}

function asideOf({ id, sale_id, claim, quarantined_units, reason }: QuarantineTable): SetAside {
  const held = JSON.parse(claim) as Claim | Unread;
  const what =
    'unread' in held ? { kind: 'unread' as const, entry: held.unread } : { kind: 'claim' as const, claim: held };
  return { id, saleId: sale_id, units: quarantined_units, reason, what };
}
