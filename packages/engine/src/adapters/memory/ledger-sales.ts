/** Sales in memory. */

import { Fault } from '../../domain/fault.ts';
import { centreOf } from '../../domain/inventory/centre.ts';
import { type Quota, quotaName, type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import { balancesOf } from '../../domain/ledger/balance.ts';
import { stockReceived } from '../../domain/ledger/entry.ts';
import type { SegmentRecord } from '../../domain/ledger/epoch.ts';
import { BEFORE_ALL } from '../../domain/order/claim.ts';
import { decideNotice, isSoldOut, NOTHING_TOLD, SALE_CONDITIONS } from '../../domain/sale/decide-notice.ts';
import { decidePatch } from '../../domain/sale/decide-patch.ts';
import { decideSettle, type SettleView } from '../../domain/sale/decide-settle.ts';
import { decideJoin, limitScopeOf } from '../../domain/sale/limit-scope.ts';
import { decideOperation, SALE_OPERATIONS } from '../../domain/sale/operation.ts';
import type { Sale, SaleDraft } from '../../domain/sale/sale.ts';
import { eventOfOperation, type SaleEvent } from '../../domain/sale/sale-event.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SaleQuota, Sales } from '../../ports/sales.ts';
import { commit } from './ledger-commit.ts';
import type { Rows, SaleRow } from './ledger-rows.ts';

export function createMemorySales(rows: Rows, clock: Clock): Sales {
  return {
    async create(draft, quotas) {
      const existing = rows.sales.get(draft.id);
      if (existing) return { kind: 'exists', sale: existing.sale };

      const sale: Sale = { ...draft, state: 'draft', version: 1 };
      const centre = centreOf(draft.totalUnits);
      const newQuotas = quotas.map((quota) => emptyQuota(draft, quota));
      if (new Set(newQuotas.map(quotaName)).size !== newQuotas.length) {
        throw new Fault('ledger_constraint', `Sale ${draft.id} names a quota twice.`);
      }
      const segmentCount = new Set(quotas.map((quota) => quota.segment)).size;
      const scope = limitScopeOf(draft);
      const joining = decideJoin(rows.limitScopes.get(scope) ?? null, { limitUnits: draft.limitUnits, segmentCount });
      if (joining.kind !== 'joined') return joining;
      const segments = new Map(newQuotas.map((quota) => [segmentName(quota), emptySegment(quota)]));
      commit(rows, {
        sales: [{ sale, centre, generation: 0, told: NOTHING_TOLD }],
        limitScopes: [[scope, joining.terms]],
        segments: [...segments.values()],
        quotas: newQuotas,
        entries: draft.totalUnits > 0 ? [stockReceived(draft.id, draft.totalUnits, draft.id)] : [],
      });
      return { kind: 'created', sale };
    },

    async find(saleId) {
      return rows.sales.get(saleId)?.sale ?? null;
    },

    async list() {
      return [...rows.sales.values()].map((row) => row.sale).sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    async operate(saleId, operation) {
      const row = rows.sales.get(saleId);
      if (!row) return { kind: 'absent' };
      const decision = decideOperation(row.sale.state, operation);
      if (decision !== 'change') return { kind: decision, sale: row.sale };
      const sale: Sale = { ...row.sale, state: SALE_OPERATIONS[operation].to, version: row.sale.version + 1 };
      const { totalUnits, state } = sale;
      const event = eventOfOperation(operation, { saleId, state, totalUnits }, clock.nowMs());
      commit(rows, { sales: [{ ...row, sale }], saleEvents: event ? [event] : [] });
      return { kind: 'changed', sale };
    },

    async notice(saleId, notice) {
      const row = rows.sales.get(saleId);
      if (!row) return 'as_before';
      const { condition } = notice;
      const { state, totalUnits } = row.sale;
      const quotas = [...rows.quotas.values()].filter((quota) => quota.saleId === saleId);
      const surplusUnits = notice.condition === 'unbalanced' ? notice.surplusUnits : null;
      const holds = surplusUnits === null ? isSoldOut(totalUnits, quotas) : surplusUnits !== 0;
      const decision = decideNotice(holds, row.told[condition]);
      if (decision === 'as_before') return decision;
      const type = SALE_CONDITIONS[condition];
      const event: SaleEvent = { type, saleId, state, totalUnits, surplusUnits, atMs: clock.nowMs() };
      commit(rows, {
        sales: [{ ...row, told: { ...row.told, [condition]: holds } }],
        saleEvents: decision === 'tell' ? [event] : [],
      });
      return decision;
    },

    async settle(saleId, gates) {
      const row = rows.sales.get(saleId);
      if (!row) return { kind: 'absent' };
      const decision = decideSettle(settleViewOf(rows, row), gates);
      if (decision.kind !== 'settle') return { ...decision, sale: row.sale };
      const sale: Sale = { ...row.sale, state: 'settled', version: row.sale.version + 1 };
      commit(rows, { sales: [{ ...row, sale }] });
      return { kind: 'changed', sale };
    },

    async patch(saleId, version, patch) {
      const row = rows.sales.get(saleId);
      if (!row) return { kind: 'absent' };
      const decision = decidePatch(row.sale, version, patch);
      if (decision.kind === 'patched') commit(rows, { sales: [{ ...row, sale: decision.sale }] });
      return decision;
    },
  };
}

function settleViewOf(rows: Rows, { sale, centre }: SaleRow): SettleView {
  const isOurs = (key: { readonly saleId: string }) => key.saleId === sale.id;
  const count = <T>(values: Iterable<T>, isCounted: (value: T) => boolean) => [...values].filter(isCounted).length;
  return {
    ...{ state: sale.state, centre },
    quotas: [...rows.quotas.values()].filter(isOurs),
    segments: [...rows.segments.values()].filter(isOurs),
    unpaidOrders: count(rows.pendingOrders.values(), isOurs),
    latePayments: count(rows.reclaiming.values(), ({ orderId }) => rows.orders.get(orderId)?.saleId === sale.id),
    openMoves: count(rows.openMoves.values(), ({ quota }) => isOurs(quota)),
    openReturns: count(rows.openReturns.values(), ({ quota }) => isOurs(quota)),
    openReleases: count(rows.openReleases.values(), isOurs),
    openWithdrawals: count(rows.withdrawals.values(), (each) => isOurs(each) && each.state === 'open'),
    balance: balancesOf(rows.journal.get(sale.id) ?? []).sale,
  };
}

function emptyQuota(draft: SaleDraft, quota: SaleQuota): Quota {
  const { region, segment, channel } = quota;
  return {
    saleId: draft.id,
    region,
    segment,
    channel,
    allottedUnits: 0,
    heldUnits: 0,
    soldUnits: 0,
    quarantinedUnits: 0,
  };
}

function emptySegment(key: SegmentKey): SegmentRecord {
  const { saleId, region, segment } = key;
  return { saleId, region, segment, epoch: 0, cuts: [], settledThrough: BEFORE_ALL };
}
