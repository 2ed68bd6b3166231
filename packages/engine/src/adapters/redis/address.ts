/**
 * Where Redis is, read from one address: a server, the master that Sentinels tell of, or a Cluster. What is wrong with an
 * address is told in words, and never its password.
 */
import { Fault } from '../../domain/fault.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
}

interface Reached {
  readonly login: Login;
  readonly isTls: boolean;
}

export type RedisAddress =
  | (Reached & { readonly kind: 'server'; readonly endpoint: Endpoint; readonly db: number })
  | (Reached & {
      readonly kind: 'sentinel';
      readonly sentinels: readonly Endpoint[];
      readonly masterName: string;
      readonly db: number;
      readonly sentinelLogin: Login;
    })
  | (Reached & { readonly kind: 'cluster'; readonly seeds: readonly Endpoint[] });

const SHAPE = /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:(.*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const ENDPOINT = /^(\[[0-9a-fA-F:.]+\]|[^:\s[\]]+)(?::(\d{1,5}))?$/;

const SERVER_PORT = 6379;
const SENTINEL_PORT = 26_379;

export function readRedisAddress(text: string): RedisAddress {
  const [, scheme, kind, login, hosts = '', path = '', query = ''] = SHAPE.exec(text) ?? [];
  if (scheme === undefined) {
    throw wrong('begins with redis://, redis+sentinel:// or redis+cluster:// (rediss… for TLS)');
  }
  const reached: Reached = { login: readLogin(login), isTls: scheme === 'rediss' };
  const endpoints = hosts
    .split(',')
    .map((host) => readEndpoint(host, kind === 'sentinel' ? SENTINEL_PORT : SERVER_PORT));
  const parts = path.split('/').filter((part) => part !== '');
  if (kind !== 'sentinel' && query !== '') throw wrong('takes no parameters behind a ?');
  if (kind === 'sentinel') return sentinelAddress(reached, endpoints, parts, query);
  if (kind === 'cluster') {
    if (parts.length > 0) throw wrong('names no database: a Cluster has one, so nothing follows the hosts');
    return { ...reached, kind: 'cluster', seeds: endpoints };
  }
  const [endpoint, another] = endpoints;
  if (!endpoint || another) {
    throw wrong('names one host; of several write redis+sentinel://host,host/master or redis+cluster://host,host');
  }
  if (parts.length > 1) throw wrong('has one part behind the host, the number of the database');
  return { ...reached, kind: 'server', endpoint, db: readDatabase(parts[0]) };
}

function sentinelAddress(
  reached: Reached,
  sentinels: readonly Endpoint[],
  parts: readonly string[],
  query: string,
): RedisAddress {
  const [masterName, db, ...more] = parts;
  if (masterName === undefined || more.length > 0) {
    throw wrong(
      'names the master behind the hosts, as the Sentinels do: redis+sentinel://host:26379,host:26379/mymaster',
    );
  }
  const given = new URLSearchParams(query);
  const username = given.get('sentinelUsername');
  const password = given.get('sentinelPassword');
  for (const name of given.keys()) {
    if (name !== 'sentinelUsername' && name !== 'sentinelPassword') {
      throw wrong('takes only sentinelUsername and sentinelPassword behind the ?');
    }
  }
  const sentinelLogin = { ...(username !== null && { username }), ...(password !== null && { password }) };
  return {
    ...reached,
    kind: 'sentinel',
    sentinels,
    masterName: decode(masterName),
    db: readDatabase(db),
    sentinelLogin,
  };
}

function readEndpoint(text: string, usualPort: number): Endpoint {
  const [, host, digits] = ENDPOINT.exec(text) ?? [];
  const port = Number(digits ?? usualPort);
  if (host === undefined || port < 1 || port > 65_535) {
    throw wrong(`names hosts as host or host:port, with commas between them; “${text}” is none`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

function readLogin(text: string | undefined): Login {
  if (text === undefined || text === '') return {};
  const colon = text.indexOf(':');
  if (colon === -1) throw wrong('has a login as user:password@ or :password@, with a colon');
  const username = decode(text.slice(0, colon));
  const password = decode(text.slice(colon + 1));
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

function readDatabase(text = '0'): number {
  if (!/^\d{1,5}$/.test(text)) throw wrong('ends with the number of a database, or nothing');
  return Number(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw wrong('has each % of a name or password written as %25', error);
  }
}

function wrong(sentence: string, cause?: unknown): Fault {
  return new Fault('gate_unusable', `SLUICE_REDIS_URL: the address of Redis ${sentence}.`, cause);
}

export function writeEndpoint({ host, port }: Endpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
