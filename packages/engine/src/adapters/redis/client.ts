/**
 * ioredis with settings that never send a command twice by themselves, never keep one for later, and never leave one without
 * an end. With its defaults it carries out a command again whose answer was lost.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { type Endpoint, type RedisAddress, writeEndpoint } from './address.ts';

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

export function createClient(address: RedisAddress, times: ClientTimes): Redis {
  const retryMs = (tries: number) => Math.min(FIRST_RECONNECT_MS * 2 ** Math.min(tries, 10), LONGEST_RECONNECT_MS);
  const client: Redis = new Redis({
    ...whereOf(address, times, retryMs),
    ...address.login,
    ...(address.isTls && { tls: {} }),
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
    retryStrategy: (tries: number) => {
      if (address.kind === 'cluster') takeNextSeed(client, address.seeds);
      return retryMs(tries);
    },
    // 1: connect again, and do not send the command again.
    reconnectOnError: (error: Error) => (ANOTHER_SERVER.test(error.message) ? 1 : false),
  });
  // Told to whoever calls; without a listener it would end the process.
  client.on('error', () => {});
  // A connect that is called off while a Sentinel is asked who the master is ends the client, whatever its retry strategy says: by
  // who leaves a server, or by the client itself, when the master changes in that very moment.
  client.on('end', () => {
    setTimeout(() => {
      if (!closed.has(client)) client.connect().catch(() => {});
    }, LONGEST_RECONNECT_MS).unref();
  });
  return client;
}

const closed = new WeakSet<Redis>();

/** For good. */
export function closeClient(client: Redis): void {
  closed.add(client);
  client.disconnect();
}

type Where = Omit<RedisOptions, 'replyMapping'>;

function whereOf(address: RedisAddress, times: ClientTimes, retryMs: (tries: number) => number): Where {
  switch (address.kind) {
    case 'server':
      return { ...address.endpoint, db: address.db };
    case 'cluster':
      return { ...address.seeds[0] };
    case 'sentinel':
      return {
        ...{ sentinels: [...address.sentinels], name: address.masterName, db: address.db },
        // The master that is there is told of by name; a change of it, by the Sentinels.
        ...{ failoverDetector: true, sentinelRetryStrategy: retryMs, sentinelReconnectStrategy: retryMs },
        sentinelCommandTimeout: times.commandMs,
        ...(address.sentinelLogin.username !== undefined && { sentinelUsername: address.sentinelLogin.username }),
        ...(address.sentinelLogin.password !== undefined && { sentinelPassword: address.sentinelLogin.password }),
        ...(address.isTls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
      };
  }
}

/** Any node will do for what a Cluster tells everywhere: one that is away is left for the next. */
function takeNextSeed({ options }: Redis, seeds: readonly Endpoint[]): void {
  const at = seeds.findIndex(({ host, port }) => host === options.host && port === options.port);
  Object.assign(options, seeds[(at + 1) % seeds.length]);
}

/** How people are told of it: without its password. */
export function nameOfAddress(address: RedisAddress): string {
  switch (address.kind) {
    case 'server':
      return `Redis at ${writeEndpoint(address.endpoint)}`;
    case 'sentinel':
      return `The master ${address.masterName} behind the Sentinels ${address.sentinels.map(writeEndpoint).join(', ')}`;
    case 'cluster':
      return `The Cluster of ${address.seeds.map(writeEndpoint).join(', ')}`;
  }
}
