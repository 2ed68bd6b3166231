/** SQLite: one connection, one writer, text compared byte by byte, numbers as they are declared. */
import { sql } from 'kysely';
import type { SqlDialect } from '../../dialect.ts';
import { faultOfSqlite } from './faults.ts';
import { NodeSqliteDialect } from './kysely-dialect.ts';
import type { SqliteDatabase } from './library.ts';
import { SQLITE_TRIGGERS } from './triggers.ts';

export function createSqliteDialect(database: SqliteDatabase): SqlDialect {
  return {
    name: 'sqlite',
    kysely: new NodeSqliteDialect(database),
    idType: 'text',
    nameType: 'text',
    claimIdType: 'text',
    textType: 'text',
    unitsType: 'integer',
    countUp: (column) => column.primaryKey().autoIncrement(),
    tableOptions: sql`strict`,
    keyTableOptions: sql`strict, without rowid`,
    indexHasKey: false,
    hasPartialIndexes: true,
    triggers: SQLITE_TRIGGERS,
    references: [],
    nowMs: sql<number>`cast(round(unixepoch('subsec') * 1000) as integer)`,
    upsert: 'on conflict',
    bindsLists: false,
    locksRows: false,
    latch: null,
    migrationLock: null,
    undoesSchemaChanges: true,
    faultOf: faultOfSqlite,
  };
}
