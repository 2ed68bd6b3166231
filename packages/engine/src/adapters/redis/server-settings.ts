/** How the servers are set up: what would lose units is refused, what may lose time or claims is told. */
import { Fault, isGateFault } from '../../domain/fault.ts';
import type { RedisConnection } from './connection.ts';

export interface ServerSettings {
  readonly version: string;
  /** What it does when memory runs out; anything but `noeviction` throws keys away. */
  readonly evictionPolicy: string;
  /** True when it cannot be told: who runs the server for others often closes CONFIG. */
  readonly keepsOnDisk: boolean;
  readonly replicas: number;
  /** One lost master of its Cluster stops them all. */
  readonly stopsWithOthers: boolean;
}

export async function readServerSettings(connection: RedisConnection): Promise<ServerSettings> {
  const [server, memory, persistence, replication] = await Promise.all(
    ['server', 'memory', 'persistence', 'replication'].map((section) => info(connection, section)),
  );
  const isNode = server?.get('redis_mode') === 'cluster';
  return {
    version: server?.get('redis_version') ?? 'unknown',
    evictionPolicy: memory?.get('maxmemory_policy') ?? 'unknown',
    keepsOnDisk: persistence?.get('aof_enabled') === '1' || (await config(connection, 'save')) !== '',
    replicas: Number(replication?.get('connected_slaves') ?? 0),
    stopsWithOthers: isNode && (await config(connection, 'cluster-require-full-coverage')) === 'yes',
  };
}

/** Alone, for who asks again and again. */
export async function readEvictionPolicy(connection: RedisConnection): Promise<string> {
  return (await info(connection, 'memory')).get('maxmemory_policy') ?? 'unknown';
}

export const NO_PERSISTENCE =
  'Redis keeps nothing on disk: after its restart every sale is rebuilt from the ledger, and claims that were not settled yet are lost';
export const NO_REPLICA =
  'A claim counts once a replica of Redis has it, and there is none: purchases are answered as queued, without a receipt, until they are settled';

export function evictionSentence(policy: string): string {
  return `Redis may throw away keys of a sale when memory runs out: its maxmemory-policy is ${policy}. Set it to noeviction.`;
}

/** Of those masters that are there. Throws a fault when one may throw away what it holds. */
export async function warningsAbout(
  masters: readonly RedisConnection[],
  asksReplica: boolean,
): Promise<readonly string[]> {
  const warnings = new Set<string>();
  for (const master of masters) {
    try {
      const settings = await readServerSettings(master);
      const { evictionPolicy, keepsOnDisk, replicas } = settings;
      if (evictionPolicy !== 'noeviction') throw new Fault('gate_unusable', evictionSentence(evictionPolicy));
      if (!keepsOnDisk) warnings.add(NO_PERSISTENCE);
      if (asksReplica && replicas === 0) warnings.add(NO_REPLICA);
    } catch (error) {
      if (!isGateFault(error)) throw error;
      warnings.add(`A master of Redis is away, and the sales that it has wait for it: ${error.message}`);
    }
  }
  return [...warnings];
}

/** Null when it is not told. */
async function config(connection: RedisConnection, name: string): Promise<string | null> {
  try {
    const [, value] = (await connection.command('CONFIG', 'GET', name)) as readonly string[];
    return value ?? null;
  } catch (error) {
    if (error instanceof Fault && error.code === 'gate_unavailable') return null;
    throw error;
  }
}

async function info(connection: RedisConnection, section: string): Promise<ReadonlyMap<string, string>> {
  const text = String(await connection.command('INFO', section));
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}
