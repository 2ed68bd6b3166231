/**
 * Rows of segments and their quotas, several at once. Locked in the order of their keys, where a database locks rows. A
 * group nearly always is of one segment: for one, each text is built once, as building it weighs in a small group.
 */
import type { Compilable, CompiledQuery, ExpressionBuilder } from 'kysely';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { SqlDialect } from './dialect.ts';
import type { CutTable, LedgerTables, LedgerTransaction, QuotaTable, SegmentTable } from './schema.ts';

interface Reader {
  readonly trx: LedgerTransaction;
  readonly dialect: SqlDialect;
}

export const lockSegments = readOf<SegmentTable>(({ trx, dialect }, keys) =>
  trx
    .selectFrom('segments')
    .selectAll()
    .where((eb) => isOneOf(eb, keys))
    .orderBy('sale_id')
    .orderBy('region')
    .orderBy('segment')
    .$if(dialect.locksRows, (query) => query.forUpdate()),
);

/** Every channel's quota of these segments. */
export const lockQuotas = readOf<QuotaTable>(({ trx, dialect }, keys) =>
  trx
    .selectFrom('quotas')
    .selectAll()
    .where((eb) => isOneOf(eb, keys))
    .orderBy('sale_id')
    .orderBy('region')
    .orderBy('segment')
    .orderBy('channel')
    .$if(dialect.locksRows, (query) => query.forUpdate()),
);

export const cutsOf = readOf<CutTable>(({ trx }, keys) =>
  trx
    .selectFrom('cuts')
    .selectAll()
    .where((eb) => isOneOf(eb, keys)),
);

function readOf<Row>(build: (reader: Reader, keys: readonly SegmentKey[]) => Compilable<Row>) {
  const forOne = new WeakMap<SqlDialect, CompiledQuery<Row>>();
  return async (reader: Reader, keys: readonly SegmentKey[]): Promise<readonly Row[]> => {
    const { trx, dialect } = reader;
    const [key] = keys;
    if (key === undefined) return [];
    const isOne = keys.length === 1;
    const known = isOne ? forOne.get(dialect) : undefined;
    const query = known ?? build(reader, keys).compile();
    if (isOne && !known) forOne.set(dialect, query);
    // In the order of `isOneOf`.
    const parameters = keys.flatMap((each) => [each.saleId, each.region, each.segment]);
    return (await trx.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

function isOneOf(eb: ExpressionBuilder<LedgerTables, 'segments' | 'quotas' | 'cuts'>, keys: readonly SegmentKey[]) {
  return eb.or(
    keys.map((key) =>
      eb.and([eb('sale_id', '=', key.saleId), eb('region', '=', key.region), eb('segment', '=', key.segment)]),
    ),
  );
}
