/** The rows that hold what the sales of a limit scope have in common. */
import {
  decideJoin,
  type JoinDecision,
  type LimitScope,
  type LimitScopeTerms,
  limitScopeOf,
} from '../../domain/sale/limit-scope.ts';
import type { SaleDraft } from '../../domain/sale/sale.ts';
import type { SaleQuota } from '../../ports/sales.ts';
import { saleOf } from './rows.ts';
import type { LimitScopeTable, SaleTable } from './schema.ts';
import type { Reader } from './settlement-view.ts';

/** Who makes the first sale of a group at the same moment as another breaks the key, and finds the group at the next try. */
export async function joinScope(
  reader: Pick<Reader, 'trx' | 'dialect'>,
  draft: SaleDraft,
  quotas: readonly SaleQuota[],
): Promise<JoinDecision> {
  const scope = limitScopeOf(draft);
  const segmentCount = new Set(quotas.map((quota) => quota.segment)).size;
  const before = await lockScope(reader, scope);
  const decision = decideJoin(before, { limitUnits: draft.limitUnits, segmentCount });
  if (decision.kind !== 'joined') return decision;
  const row = rowOf(scope, decision.terms);
  if (before) await reader.trx.updateTable('limit_scopes').set(row).where('name', '=', scope).execute();
  else await reader.trx.insertInto('limit_scopes').values(row).execute();
  return decision;
}

async function lockScope(
  { trx, dialect }: Pick<Reader, 'trx' | 'dialect'>,
  scope: LimitScope,
): Promise<LimitScopeTerms | null> {
  const row = await trx
    .selectFrom('limit_scopes')
    .selectAll()
    .where('name', '=', scope)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  return row ? { limitUnits: row.limit_units, segmentCount: row.segment_count, saleCount: row.sale_count } : null;
}

function rowOf(scope: LimitScope, { limitUnits, segmentCount, saleCount }: LimitScopeTerms): LimitScopeTable {
  return { name: scope, limit_units: limitUnits, segment_count: segmentCount, sale_count: saleCount };
}

export interface ScopeMembers {
  readonly name: LimitScope;
  readonly saleIds: readonly string[];
}

/** Each sale with its scope, null but for the first of the scope: what is wrong with a group is told once. */
export function scopesOnce(
  rows: readonly SaleTable[],
): readonly { readonly sale: SaleTable; readonly scope: ScopeMembers | null }[] {
  const members = new Map<LimitScope, string[]>();
  return rows
    .map((sale) => {
      const name = limitScopeOf(saleOf(sale));
      const saleIds = members.get(name) ?? [];
      members.set(name, saleIds);
      saleIds.push(sale.id);
      return { sale, name, saleIds };
    })
    .map(({ sale, name, saleIds }) => ({ sale, scope: saleIds[0] === sale.id ? { name, saleIds } : null }));
}
