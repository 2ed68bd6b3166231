/**
 * Statements that are built and compiled once, as that takes longer than running them does. Those over many rows or ids are
 * compiled once per size, and a few texts serve any number and stay prepared: inserts are cut into parts, look-ups are filled
 * up by repeating their last id.
 */
import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { LedgerTransaction } from './schema.ts';

/** 256 rows of 13 columns are 3,328 bound values; SQLite takes 32,766, and others more. */
const MAX_ROWS = 256;
/** Up to here there is a text for every size: small groups are the many, and each statement of theirs counts. */
const ANY_ROWS = 32;
/** One look-up for the largest settlement. */
const MAX_IDS = 512;

export interface SizedInsert<Row, Thing> {
  /** `valuesOf` gives them in this order. */
  readonly columns: readonly (keyof Row & string)[];
  readonly valuesOf: (thing: Thing) => readonly unknown[];
  /** Gets as many rows as one part has, to be filled later. */
  readonly build: (rows: Row[]) => Compilable;
}

export function sizedInsert<Row, Thing>(insert: SizedInsert<Row, Thing>) {
  const { columns, valuesOf, build } = insert;
  const zeros = Object.fromEntries(columns.map((column) => [column, 0])) as Row;
  const statementOf = onceForEach((size) => build(Array.from({ length: size }, () => zeros)).compile());
  /** Answers how many rows were written. */
  return async (db: LedgerTransaction, things: readonly Thing[]): Promise<number> => {
    let written = 0;
    for (const part of inParts(things)) {
      const parameters: unknown[] = [];
      for (const thing of part) parameters.push(...valuesOf(thing));
      const { numAffectedRows } = await db.executeQuery({ ...statementOf(part.length), parameters });
      written += Number(numAffectedRows);
    }
    return written;
  };
}

/** `build` gets the ids last, and before them one more parameter when `before` is used. */
export function sizedLookUp<Row>(build: (ids: string[], before: string) => Compilable<Row>) {
  const statementOf = onceForEach((size) => build(new Array<string>(size).fill(''), '').compile());
  return async (db: LedgerTransaction, ids: readonly string[], before?: string): Promise<readonly Row[]> => {
    const found: Row[] = [];
    for (let start = 0; start < ids.length; start += MAX_IDS) {
      const part = filledUp(ids.slice(start, start + MAX_IDS));
      const parameters = before === undefined ? part : [before, ...part];
      const { rows } = await db.executeQuery<Row>({ ...statementOf(part.length), parameters });
      found.push(...rows);
    }
    return found;
  };
}

function onceForEach<Row>(compile: (size: number) => CompiledQuery<Row>): (size: number) => CompiledQuery<Row> {
  const compiled = new Map<number, CompiledQuery<Row>>();
  return (size) => {
    const known = compiled.get(size) ?? compile(size);
    compiled.set(size, known);
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
