/** MariaDB: many writers, so rows are locked; ids compare byte by byte, trailing spaces too; no RETURNING, no ON CONFLICT. */
import { MysqlDialect, type MysqlPool, sql } from 'kysely';
import type { SqlDialect } from '../../dialect.ts';
import { faultOfMysql } from './faults.ts';
import { MYSQL_TRIGGERS } from './triggers.ts';

/** A key has at most 3,072 bytes, four for each character: one id, or an id with a name, or three names. */
const ID = sql`varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin`;
const CLAIM_ID = sql`varchar(740) character set utf8mb4 collate utf8mb4_nopad_bin`;
const NAME = sql`varchar(128) character set utf8mb4 collate utf8mb4_nopad_bin`;
const TEXT = sql`mediumtext character set utf8mb4 collate utf8mb4_nopad_bin`;
const TABLE = sql`engine = InnoDB default character set utf8mb4 collate utf8mb4_nopad_bin row_format = dynamic`;

export function createMysqlDialect(pool: MysqlPool): SqlDialect {
  return {
    name: 'mysql',
    kysely: new MysqlDialect({ pool }),
    idType: ID,
    nameType: NAME,
    claimIdType: CLAIM_ID,
    textType: TEXT,
    unitsType: 'bigint',
    countUp: (column) => column.primaryKey().autoIncrement(),
    tableOptions: TABLE,
    keyTableOptions: TABLE,
    indexHasKey: true,
    hasPartialIndexes: false,
    triggers: MYSQL_TRIGGERS,
    references: [],
    nowMs: sql<number>`cast(unix_timestamp(sysdate(3)) * 1000 as signed)`,
    bindsLists: false,
    locksRows: true,
    upsert: 'on duplicate key',
    latch: {
      shared: sql`select holder from leases where name = ${sql.lit('latch')} lock in share mode`,
      exclusive: sql`select holder from leases where name = ${sql.lit('latch')} for update`,
    },
    migrationLock: null,
    undoesSchemaChanges: false,
    faultOf: faultOfMysql,
  };
}
