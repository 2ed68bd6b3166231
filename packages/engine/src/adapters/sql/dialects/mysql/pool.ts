/**
 * Connections to MariaDB, as many as are allowed and no more, each statement bounded in time on both sides.
 *
 * Promises: a connection that broke or timed out is never used again; what is known of a commit is told truly; values are
 * values, whatever they hold.
 */
import type { MysqlPool, MysqlPoolConnection } from 'kysely';
import { createPool, type PoolConnection, type TypeCastField, type TypeCastNext } from 'mysql2';
import { Fault } from '../../../../domain/fault.ts';
import { type DatabaseTls, tlsOptions } from '../../database-tls.ts';
import { faultOfCommit, faultOfConnection, faultOfMysql, isServerError } from './faults.ts';

export interface PoolOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Null: not encrypted. */
  readonly tls?: DatabaseTls | null;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Nothing here waits this long on a database that is well; the server gives a statement up before. */
const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Rows are locked, so this level is enough, and it locks no gaps. A process that freezes between two statements keeps its rows
 * locked for ten seconds.
 */
const SESSION = `set session tx_isolation = 'READ-COMMITTED', innodb_lock_wait_timeout = 2, max_statement_time = 10,
  idle_transaction_timeout = 10, sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1`;

type Callback = (error: unknown, result?: unknown) => void;

export function createMysqlPool({ url, maxConnections, tls = null }: PoolOptions): MysqlPool {
  const pool = createPool({
    ...{
      uri: url.replace(/^mariadb:/, 'mysql:'),
      connectionLimit: maxConnections,
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableKeepAlive: true,
    },
    ...(tls && { ssl: { ...tlsOptions(tls), verifyIdentity: tls.isVerified } }),
    // An object in the place of a value would become SQL.
    ...{ stringifyObjects: true, charset: 'utf8mb4_bin', typeCast: wholeNumbers },
  });
  const ready = new WeakSet<PoolConnection>();
  return {
    getConnection(callback) {
      pool.getConnection((error, connection) => {
        if (error) return callback(faultOfConnection(error), undefined as never);
        if (ready.has(connection)) return callback(undefined, bounded(connection));
        connection.query(SESSION, (refused) => {
          if (refused) connection.destroy();
          else ready.add(connection);
          callback(refused ? faultOfConnection(refused) : undefined, bounded(connection));
        });
      });
    },
    end: (callback) => pool.end((error) => callback(error)),
  };
}

function bounded(connection: PoolConnection): MysqlPoolConnection {
  let broken: Error | null = null;
  const query = (sql: string, values: readonly unknown[], callback: Callback): void => {
    // What it had begun ended with it.
    if (broken) {
      callback(sql === 'rollback' ? null : broken, []);
      return;
    }
    // The server would round it, and what it has then was never decided.
    if (values.some((value) => typeof value === 'number' && !Number.isSafeInteger(value))) {
      callback(new Fault('ledger_constraint', 'MariaDB: units and times are whole numbers'));
      return;
    }
    connection.query({ sql, values: [...values], timeout: ANSWER_TIMEOUT_MS }, (error: unknown, result: unknown) => {
      if (!error) {
        callback(null, result);
        return;
      }
      const fault = sql === 'commit' ? faultOfCommit(error) : faultOfConnection(error);
      const isAnswered = isServerError(error);
      // What the server answers without a name of ours is a mistake in a statement, and the connection is as good as before.
      const isLost = !isAnswered || faultOfMysql(error)?.code === 'ledger_unavailable';
      if (isLost || sql === 'commit') broken = fault;
      callback(isAnswered && sql !== 'commit' ? error : fault);
    });
  };
  return {
    query: query as unknown as MysqlPoolConnection['query'],
    release() {
      if (broken) connection.destroy();
      else connection.release();
    },
  };
}

/** Units and times are whole numbers up to 2^53 - 1; a sum of them comes as decimal. */
function wholeNumbers(field: TypeCastField, next: TypeCastNext): unknown {
  if (field.type !== 'LONGLONG' && field.type !== 'NEWDECIMAL') return next();
  const text = field.string();
  if (text === null) return null;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is no whole number up to 2^53 - 1`);
  return value;
}
