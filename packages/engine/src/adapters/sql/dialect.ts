/**
 * What differs between databases. The ledger is written once over Kysely; whatever a database does in its own way is here,
 * as a capability or as the one place to do it.
 */
import type { ColumnDataType, ColumnDefinitionBuilder, Dialect, RawBuilder } from 'kysely';
import type { Fault } from '../../domain/fault.ts';

type ColumnType = ColumnDataType | RawBuilder<unknown>;

export interface SqlDialect {
  readonly name: string;
  readonly kysely: Dialect;
  /** Column types: ids compare byte by byte and hold 512 characters; units are exact up to 2^53 - 1. */
  readonly idType: ColumnType;
  /** Of what people or we ourselves choose: sales, regions, channels, states. Holds 128 characters; an index may have three. */
  readonly nameType: ColumnType;
  /** Of claims and moves: an order's id and more. */
  readonly claimIdType: ColumnType;
  /** Never in an index. */
  readonly textType: ColumnType;
  readonly unitsType: ColumnType;
  /** Makes a column count up by itself, in the order of inserts. */
  readonly countUp: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Written behind the closing bracket of a table. */
  readonly tableOptions: RawBuilder<unknown>;
  /** For a table whose key is most of its row. */
  readonly keyTableOptions: RawBuilder<unknown>;
  /** Whether every index ends with the table's key by itself. */
  readonly indexHasKey: boolean;
  /** Whether an index may have only the rows that its condition names. */
  readonly hasPartialIndexes: boolean;
  /**
   * Statements that create the triggers: a sale's allotted follows its quotas and free gives it; the journal is
   * append-only.
   */
  readonly triggers: readonly string[];
  /** Statements that put checks of a whole statement in the place of foreign keys; none where foreign keys cost little. */
  readonly references: readonly string[];
  /** The database's clock, milliseconds since 1970. */
  readonly nowMs: RawBuilder<number>;
  /** How an insert of a row that is there becomes an update. */
  readonly upsert: 'on conflict' | 'on duplicate key';
  /** Whether a list is one bound value: a statement over any number of rows has one text then, and is read in no time. */
  readonly bindsLists: boolean;
  /** False where one transaction at a time writes, so that no row needs a lock. */
  readonly locksRows: boolean;
  /**
   * A lock of the whole ledger until the transaction ends, for what has no row to lock: every settlement shares it, and who
   * parks something for an order that is not there yet has it alone. Null where one transaction at a time writes.
   */
  readonly latch: { readonly shared: RawBuilder<unknown>; readonly exclusive: RawBuilder<unknown> } | null;
  /**
   * Makes one process at a time migrate, until the transaction ends: all steps are one transaction then. Null where the
   * library's own way is good.
   */
  readonly migrationLock: readonly RawBuilder<unknown>[] | null;
  /** Whether a step of the schema that is broken off has not begun. */
  readonly undoesSchemaChanges: boolean;
  /** Null for an error that is no fault of the world but a mistake of ours. */
  readonly faultOf: (error: unknown) => Fault | null;
}
