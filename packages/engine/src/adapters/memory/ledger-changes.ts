/** What a decision about orders wants written, as changes of rows: the one home of that knowledge for the memory ledger. */
import { invariant } from '../../domain/invariant.ts';
import { afterReturn } from '../../domain/inventory/centre.ts';
import type { LedgerChanges } from '../../domain/ledger/changes.ts';
import { comparePositions } from '../../domain/order/claim.ts';
import { commit } from './ledger-commit.ts';
import type { Rows } from './ledger-rows.ts';

export function commitChanges(rows: Rows, changes: LedgerChanges): void {
  const { newOrders, changedOrders, newReleases, entries, events } = changes;
  commit(rows, {
    ...{ newOrders, changedOrders, newReleases, entries, events },
    sales: salesAfter(rows, changes),
    quotas: quotasAfter(rows, changes),
    buyers: buyersAfter(rows, changes),
    segments: segmentsAfter(rows, changes),
    payments: [...changes.payments.values()],
    charges: [...changes.charges.values()],
  });
}

function quotasAfter(rows: Rows, changes: LedgerChanges) {
  return [...changes.quotaDeltas].map(([name, { heldUnits, soldUnits, allottedUnits }]) => {
    const quota = rows.quotas.get(name);
    invariant(quota, `quota ${name} was read`);
    return {
      ...quota,
      heldUnits: quota.heldUnits + heldUnits,
      soldUnits: quota.soldUnits + soldUnits,
      allottedUnits: quota.allottedUnits + allottedUnits,
    };
  });
}

/** Free and allotted follow what quotas gave to the centre. */
function salesAfter(rows: Rows, changes: LedgerChanges) {
  const returnedUnits = new Map<string, number>();
  for (const { quota, allottedUnits } of changes.quotaDeltas.values()) {
    const { saleId } = quota;
    if (allottedUnits !== 0) returnedUnits.set(saleId, (returnedUnits.get(saleId) ?? 0) - allottedUnits);
  }
  return [...returnedUnits].map(([saleId, units]) => {
    const row = rows.sales.get(saleId);
    invariant(row, `sale ${saleId} was read`);
    return { ...row, centre: afterReturn(row.centre, units) };
  });
}

function buyersAfter(rows: Rows, changes: LedgerChanges) {
  return [...changes.buyerDeltas].map(([key, { limitScope, buyerId, units }]) => {
    const limitUnits = rows.limitScopes.get(limitScope)?.limitUnits;
    invariant(limitUnits !== undefined, `limit scope ${limitScope} was read`);
    const row = rows.buyers.get(key) ?? { limitScope, buyerId, units: 0, limitUnits };
    return { ...row, units: row.units + units };
  });
}

function segmentsAfter(rows: Rows, changes: LedgerChanges) {
  return [...changes.settledThrough].map(([name, position]) => {
    const segment = rows.segments.get(name);
    invariant(segment, `segment ${name} was read`);
    return comparePositions(position, segment.settledThrough) > 0 ? { ...segment, settledThrough: position } : segment;
  });
}
