/**
 * Statements that are built and compiled once, as that takes longer than running them does. Where a list can be one bound value, a
 * statement over many rows or ids has one text, which the server has read in no time. Elsewhere there is a text for a few sizes, which
 * serve any number and stay prepared: inserts are cut into parts, look-ups are filled up by repeating their last id.
 */
import {
  type Compilable,
  type CompiledQuery,
  type Expression,
  type InsertQueryBuilder,
  type InsertResult,
  type QueryResult,
  type SqlBool,
  sql,
} from 'kysely';
import type { SqlDialect } from './dialect.ts';
import type { LedgerDatabase, LedgerTables, LedgerTransaction } from './schema.ts';

/** 256 rows of 13 columns are 3,328 bound values; SQLite takes 32,766, and others more. */
const MAX_ROWS = 256;
/** Up to here there is a text for every size: small groups are the many, and each statement of theirs counts. */
const ANY_ROWS = 32;
/** One look-up for the largest settlement. */
const MAX_IDS = 512;
/** A bound list has a type. All other columns that are written so hold text. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...['units', 'limit_units', 'quarantined_units', 'points', 'amount'],
  ...['segment', 'epoch', 'seq', 'release_epoch', 'settled_at_ms', 'due_at_ms', 'at_ms'],
  ...['event_number', 'failures', 'created_at_ms', 'next_at_ms'],
]);

export interface SizedInsert<Table extends keyof LedgerTables, Thing> {
  readonly into: Table;
  readonly columns: readonly (keyof LedgerTables[Table] & string)[];
  /** In the order of the columns. */
  readonly valuesOf: (thing: Thing) => readonly unknown[];
  /** The table numbers its rows: MariaDB lets one at a time insert there what a query answers, and many what is written out. */
  readonly isNumbered?: true;
  /** What becomes of rows that are there. */
  readonly finish?: (insert: InsertQueryBuilder<LedgerTables, Table, InsertResult>) => Compilable;
}

/** Answers how many rows were written. */
type Insert<Thing> = (db: LedgerTransaction, things: readonly Thing[]) => Promise<number>;

type ListDialect = Pick<SqlDialect, 'bindsLists'>;

export function createSizedInsert(db: LedgerDatabase, { bindsLists }: ListDialect) {
  return <Table extends keyof LedgerTables, Thing>(insert: SizedInsert<Table, Thing>): Insert<Thing> =>
    bindsLists ? insertOfLists(db, insert) : insertOfRows(db, insert);
}

function insertOfLists<Table extends keyof LedgerTables, Thing>(
  db: LedgerDatabase,
  { into, columns, valuesOf, finish = (insert) => insert }: SizedInsert<Table, Thing>,
): Insert<Thing> {
  const typeOf = (column: string) => sql.raw(NUMBERS.has(column) ? 'bigint' : 'text');
  const statementOf = onceForEach((shape: string) => {
    const differs = (_: string, at: number) => shape[at] === '1';
    const values = columns.map((column, at) =>
      differs(column, at) ? sql.ref(`v${at}`) : sql`${null}::${typeOf(column)}`,
    );
    const lists = columns.filter(differs).map((column) => sql`${null}::${typeOf(column)}[]`);
    const names = columns.map((_, at) => sql.ref(`v${at}`)).filter((_, at) => shape[at] === '1');
    const rows = sql`select ${sql.join(values)} from unnest(${sql.join(lists)}) as v (${sql.join(names)})`;
    return finish(db.insertInto(into).columns(columns).expression(rows)).compile();
  });
  return async (trx, things) => {
    if (things.length === 0) return 0;
    const { rows, shape, same, varying } = shapeOf(things.map(valuesOf));
    const lists = varying.map((at) => rows.map((row) => row[at]));
    const { numAffectedRows } = await trx.executeQuery({ ...statementOf(shape), parameters: [...same, ...lists] });
    return Number(numAffectedRows);
  };
}

function insertOfRows<Table extends keyof LedgerTables, Thing>(
  db: LedgerDatabase,
  { into, columns, valuesOf, isNumbered, finish = (insert) => insert }: SizedInsert<Table, Thing>,
): Insert<Thing> {
  const statementOf = onceForEach((shapeAndSize: string) => {
    const [shape = '', size = ''] = shapeAndSize.split(' ');
    const names = columns.map((_, at) => sql.ref(`v${at}`));
    const varying = names.filter((_, at) => shape[at] === '1');
    const row = sql`(${sql.join(varying.map(() => sql`${0}`))})`;
    const rows = sql.join(Array.from({ length: Number(size) }, () => row));
    const values = sql.join(names.map((name, at) => (shape[at] === '1' ? name : sql`${0}`)));
    const filled = sql`with v (${sql.join(varying)}) as (values ${rows}) select ${values} from v where true`;
    const written = varying.length === columns.length ? sql`values ${rows}` : filled;
    return finish(db.insertInto(into).columns(columns).expression(written)).compile();
  });
  return async (trx, things) => {
    let written = 0;
    for (const part of inParts(things)) {
      const { rows, shape, same, varying } = shapeOf(part.map(valuesOf), isNumbered);
      const parameters: unknown[] = [];
      for (const row of rows) for (const at of varying) parameters.push(row[at]);
      parameters.push(...same);
      const { numAffectedRows } = await trx.executeQuery({ ...statementOf(`${shape} ${part.length}`), parameters });
      written += Number(numAffectedRows);
    }
    return written;
  };
}

/** What is the same in all rows is sent once: of an order that is its sale, its segment, its state and its times. */
function shapeOf(rows: readonly (readonly unknown[])[], isWhole = false) {
  const [first = []] = rows;
  // One column counts as different always: without any there would be no rows.
  const differs = first.map((value, at) => isWhole || at === 0 || rows.some((row) => row[at] !== value));
  return {
    rows,
    /** A 1 for each column that differs. */
    shape: differs.map(Number).join(''),
    same: first.filter((_, at) => !differs[at]),
    varying: first.map((_, at) => at).filter((at) => differs[at]),
  };
}

/** Whether a column has one of the ids. */
type Among = (column: string) => Expression<SqlBool>;

/** `build` uses `among` last, and before it one more parameter when `before` is used. */
export function createSizedLookUp({ bindsLists }: ListDialect) {
  return <Row>(build: (among: Among, before: string) => Compilable<Row>) => {
    const statementOf = onceForEach((size: number) =>
      build((column) => {
        if (bindsLists) return sql`${sql.ref(column)} = any(${null}::text[])`;
        return sql`${sql.ref(column)} in (${sql.join(new Array<string>(size).fill(''))})`;
      }, '').compile(),
    );
    return async (db: LedgerTransaction, ids: readonly string[], before?: string): Promise<readonly Row[]> => {
      const found: Row[] = [];
      for (let start = 0; start < ids.length; start += MAX_IDS) {
        const part = ids.slice(start, start + MAX_IDS);
        const bound: readonly unknown[] = bindsLists ? [part] : filledUp(part);
        const parameters = before === undefined ? bound : [before, ...bound];
        const { rows } = await db.executeQuery<Row>({ ...statementOf(bound.length), parameters });
        found.push(...rows);
      }
      return found;
    };
  };
}

function onceForEach<Key extends number | string, Row>(
  compile: (key: Key) => CompiledQuery<Row>,
): (key: Key) => CompiledQuery<Row> {
  const compiled = new Map<Key, CompiledQuery<Row>>();
  return (key) => {
    const known = compiled.get(key) ?? compile(key);
    compiled.set(key, known);
    return known;
  };
}

/** Parts of MAX_ROWS, then ever smaller powers of two, and what is left below ANY_ROWS as the last one. */
function* inParts<Thing>(things: readonly Thing[]): Generator<readonly Thing[]> {
  let start = 0;
  for (let size = MAX_ROWS; size >= ANY_ROWS; size /= 2) {
    while (things.length - start >= size) {
      yield things.slice(start, start + size);
      start += size;
    }
  }
  if (start < things.length) yield things.slice(start);
}

function filledUp(ids: readonly string[]): string[] {
  const filled = [...ids];
  const last = ids.at(-1);
  let size = 1;
  while (size < ids.length) size *= 2;
  while (last !== undefined && filled.length < size) filled.push(last);
  return filled;
}

/** Stands in a compiled statement for a value that each execution brings. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** One statement. `build` gets a stand-in for each value, to be used wherever the value would be. */
export function compiledOnce<Values extends object, Row = unknown>(build: (slots: Values) => Compilable<Row>) {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as Values;
  let compiled: CompiledQuery<Row> | undefined;
  return (db: LedgerTransaction, values: Values): Promise<QueryResult<Row>> => {
    compiled ??= build(slots).compile();
    const parameters = compiled.parameters.map((value) =>
      value instanceof Slot ? values[value.name as keyof Values] : value,
    );
    return db.executeQuery<Row>({ ...compiled, parameters });
  };
}
