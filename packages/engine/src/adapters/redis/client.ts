/**
 * ioredis with settings that never send a command twice by themselves, never keep one for later, and never leave one without
 * an end. With its defaults it carries out a command again whose answer was lost.
 */
import { Redis, type RedisOptions } from 'ioredis';

export interface ClientTimes {
  /** How long a call may be without an answer before its outcome is unknown. */
  readonly commandMs: number;
  readonly connectMs: number;
}

export const CLIENT_TIMES: ClientTimes = { commandMs: 800, connectMs: 2_000 };

const FIRST_RECONNECT_MS = 20;
/** A gate that is back is found within this. */
const LONGEST_RECONNECT_MS = 500;

/** Answers of a server that is not, or no longer, the one to write to. */
const ANOTHER_SERVER = /^(READONLY|LOADING|MASTERDOWN)/;

export function createClient(url: string, times: ClientTimes): Redis {
  const options = {
    lazyConnect: true,
    protocol: 2,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    // An answer that never comes would leave its caller waiting for ever (redis/ioredis#2193).
    commandTimeout: times.commandMs,
    socketTimeout: 2 * times.commandMs,
    connectTimeout: times.connectMs,
    retryStrategy: (tries: number) => Math.min(FIRST_RECONNECT_MS * 2 ** Math.min(tries, 10), LONGEST_RECONNECT_MS),
    // 1: connect again, and do not send the command again.
    reconnectOnError: (error: Error) => (ANOTHER_SERVER.test(error.message) ? 1 : false),
  } satisfies RedisOptions;
  return new Redis(url, options);
}
