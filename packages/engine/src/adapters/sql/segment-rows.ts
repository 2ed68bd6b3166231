/** Rows of segments and their quotas, several at once. Locked in the order of their keys, where a database locks rows. */
import type { ExpressionBuilder } from 'kysely';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { SqlDialect } from './dialect.ts';
import type { CutTable, LedgerTables, LedgerTransaction, QuotaTable, SegmentTable } from './schema.ts';

interface Reader {
  readonly trx: LedgerTransaction;
  readonly dialect: SqlDialect;
}

export function lockSegments({ trx, dialect }: Reader, keys: readonly SegmentKey[]): Promise<SegmentTable[]> {
  return trx
    .selectFrom('segments')
    .selectAll()
    .where((eb) => isOneOf(eb, keys))
    .orderBy('sale_id')
    .orderBy('region')
    .orderBy('segment')
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
}

/** Every channel's quota of these segments. */
export function lockQuotas({ trx, dialect }: Reader, keys: readonly SegmentKey[]): Promise<QuotaTable[]> {
  return trx
    .selectFrom('quotas')
    .selectAll()
    .where((eb) => isOneOf(eb, keys))
    .orderBy('sale_id')
    .orderBy('region')
    .orderBy('segment')
    .orderBy('channel')
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
}

export function cutsOf(trx: LedgerTransaction, keys: readonly SegmentKey[]): Promise<CutTable[]> {
  return trx
    .selectFrom('cuts')
    .selectAll()
    .where((eb) => isOneOf(eb, keys))
    .execute();
}

function isOneOf(eb: ExpressionBuilder<LedgerTables, 'segments' | 'quotas' | 'cuts'>, keys: readonly SegmentKey[]) {
  return eb.or(
    keys.map((key) =>
      eb.and([eb('sale_id', '=', key.saleId), eb('region', '=', key.region), eb('segment', '=', key.segment)]),
    ),
  );
}
