/** Sales in SQL. */

import type { SaleId } from '../../domain/ids.ts';
import { centreOf } from '../../domain/inventory/centre.ts';
import { segmentName } from '../../domain/inventory/quota.ts';
import { stockReceived } from '../../domain/ledger/entry.ts';
import { decidePatch } from '../../domain/sale/decide-patch.ts';
import { decideOperation, SALE_OPERATIONS } from '../../domain/sale/operation.ts';
import type { SaleDraft } from '../../domain/sale/sale.ts';
import { eventOfOperation } from '../../domain/sale/sale-event.ts';
import type { SaleQuota, Sales } from '../../ports/sales.ts';
import { lockSale as lockSaleRow } from './centre-rows.ts';
import type { SqlContext } from './context.ts';
import { joinScope } from './limit-scopes.ts';
import { newSaleRow, saleOf } from './rows.ts';
import { insertSaleEvent, noticeCondition } from './sale-events.ts';
import type { LedgerTransaction, QuotaTable, SegmentTable } from './schema.ts';
import { settleSale } from './settle-sale.ts';
import { readNowMs } from './settlement-view.ts';

export function createSqlSales({ db, dialect, statements }: SqlContext): Sales {
  const lockSale = (trx: LedgerTransaction, saleId: SaleId) => lockSaleRow({ trx, dialect }, saleId);

  return {
    create: (draft, quotas) =>
      db.transaction().execute(async (trx) => {
        const existing = await lockSale(trx, draft.id);
        if (existing) return { kind: 'exists', sale: saleOf(existing) };

        const joining = await joinScope({ trx, dialect }, draft, quotas);
        if (joining.kind !== 'joined') return joining;
        const row = newSaleRow(draft, centreOf(draft.totalUnits));
        await trx.insertInto('sales').values(row).execute();
        await insertQuotas(trx, draft, quotas);
        if (draft.totalUnits > 0)
          await statements.insertEntries(trx, [stockReceived(draft.id, draft.totalUnits, draft.id)]);
        return { kind: 'created', sale: saleOf(row) };
      }),

    async find(saleId) {
      const row = await db.selectFrom('sales').selectAll().where('id', '=', saleId).executeTakeFirst();
      return row ? saleOf(row) : null;
    },

    async list() {
      const rows = await db.selectFrom('sales').selectAll().orderBy('id').execute();
      return rows.map(saleOf);
    },

    operate: (saleId, operation) =>
      db.transaction().execute(async (trx) => {
        const row = await lockSale(trx, saleId);
        if (!row) return { kind: 'absent' };
        const decision = decideOperation(row.state, operation);
        if (decision !== 'change') return { kind: decision, sale: saleOf(row) };
        const next = { state: SALE_OPERATIONS[operation].to, version: row.version + 1 };
        await trx.updateTable('sales').set(next).where('id', '=', saleId).execute();
        const facts = { saleId, state: next.state, totalUnits: row.total_units };
        const event = eventOfOperation(operation, facts, await readNowMs({ trx, dialect }));
        if (event) await insertSaleEvent(trx, event);
        return { kind: 'changed', sale: saleOf({ ...row, ...next }) };
      }),

    notice: (saleId, notice) =>
      db.transaction().execute((trx) => noticeCondition({ trx, dialect, statements }, saleId, notice)),

    settle: (saleId, gates) =>
      db.transaction().execute((trx) => settleSale({ trx, dialect, statements }, saleId, gates)),

    patch: (saleId, version, patch) =>
      db.transaction().execute(async (trx) => {
        const row = await lockSale(trx, saleId);
        if (!row) return { kind: 'absent' };
        const decision = decidePatch(saleOf(row), version, patch);
        if (decision.kind !== 'patched') return decision;
        const { title, startsAtMs, endsAtMs, timeZone, holdMs, version: next } = decision.sale;
        const window = { starts_at_ms: startsAtMs, ends_at_ms: endsAtMs, time_zone: timeZone };
        await trx
          .updateTable('sales')
          .set({ title, ...window, hold_ms: holdMs, version: next })
          .where('id', '=', saleId)
          .execute();
        return decision;
      }),
  };
}

async function insertQuotas(trx: LedgerTransaction, draft: SaleDraft, quotas: readonly SaleQuota[]): Promise<void> {
  const segments = new Map(
    quotas.map((quota) => [segmentName({ saleId: draft.id, ...quota }), emptySegment(draft, quota)]),
  );
  for (const segment of segments.values()) await trx.insertInto('segments').values(segment).execute();
  for (const quota of quotas) await trx.insertInto('quotas').values(emptyQuota(draft, quota)).execute();
}

function emptySegment(draft: SaleDraft, { region, segment }: SaleQuota): SegmentTable {
  return { sale_id: draft.id, region, segment, epoch: 0, settled_epoch: 0, settled_seq: 0 };
}

function emptyQuota(draft: SaleDraft, { region, segment, channel }: SaleQuota): QuotaTable {
  const nothing = { allotted_units: 0, held_units: 0, sold_units: 0, quarantined_units: 0 };
  return { sale_id: draft.id, region, segment, channel, ...nothing };
}
