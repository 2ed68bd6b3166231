/**
 * Connections to PostgreSQL, as many as are allowed and no more, each statement bounded in time on both sides.
 *
 * Promises: a connection that broke or timed out is never used again; what is known of a commit is told truly. Works behind a
 * pooler in transaction mode: no named statements, no state that outlives a transaction.
 */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { type DatabaseTls, tlsOptions } from '../../database-tls.ts';
import { faultOfCommit, faultOfConnection, isServerError } from './faults.ts';

export interface PoolOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Null: not encrypted. */
  readonly tls?: DatabaseTls | null;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Nothing here waits this long on a database that is well: a group of 500 takes tens of milliseconds. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** Above the server's, which says more. */
const ANSWER_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 2_000;
/** A process that freezes between two statements keeps its rows locked for this long. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const IDLE_CONNECTION_MS = 30_000;

const BOUNDS = [
  `set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  `set local lock_timeout = ${LOCK_TIMEOUT_MS}`,
  `set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
].join('; ');

/** In one round trip. What the database or the role has set does not matter: rows are locked, so this level is enough. */
const BEGIN: Readonly<Record<string, string>> = {
  begin: `begin isolation level read committed; ${BOUNDS}`,
  'start transaction isolation level repeatable read': `begin isolation level repeatable read; ${BOUNDS}`,
};

const INT8 = 20;
const NUMERIC = 1700;

export function createPostgresPool({ url, maxConnections, tls = null }: PoolOptions): PostgresPool {
  const pool = new pg.Pool({
    ...{ connectionString: url, max: maxConnections, application_name: 'sluice', keepAlive: true },
    // Said, so that no variable of the environment says otherwise.
    ssl: tls !== null && tlsOptions(tls),
    Client: EndingClient,
    ...{ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: ANSWER_TIMEOUT_MS },
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  });
  // One that breaks while nobody uses it, or between two statements, would end the process. Its next user is told.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    async connect() {
      try {
        // Kysely's type has cursors too, which are not used.
        return new BoundedClient(await pool.connect()) as unknown as PostgresPoolClient;
      } catch (error) {
        throw faultOfConnection(error);
      }
    },
    end: () => pool.end(),
  };
}

/** One that has no password when it is asked for one fails, and would keep the server waiting for it: a minute, and the process with it. */
class EndingClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (!callback) return super.connect();
    super.connect((error: Error) => {
      if (error) this.end(() => {});
      callback(error);
    });
    return undefined;
  }
}

class BoundedClient {
  readonly #client: pg.PoolClient;
  /** Why it must not be used again. */
  #broken: Error | null = null;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async query(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (this.#broken) {
      // What it had begun ended with it.
      if (text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] };
      throw this.#broken;
    }
    try {
      const result: unknown = await this.#client.query(BEGIN[text] ?? text, [...parameters]);
      // Several statements answer with several results.
      return (Array.isArray(result) ? result[0] : result) as PostgresQueryResult<unknown>;
    } catch (error) {
      const fault = text === 'commit' ? faultOfCommit(error) : faultOfConnection(error);
      const isAnswered = isServerError(error);
      if (!isAnswered || error.severity === 'FATAL' || error.severity === 'PANIC') this.#broken = fault;
      throw isAnswered && text !== 'commit' ? error : fault;
    }
  }

  release(): void {
    this.#client.release(this.#broken ?? false);
  }
}

/** Units and times are whole numbers up to 2^53 - 1; a sum of them comes as numeric. */
function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 || oid === NUMERIC) return wholeNumber;
  return pg.types.getTypeParser(oid, format);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is no whole number up to 2^53 - 1`);
  return value;
}
