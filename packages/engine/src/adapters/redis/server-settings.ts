/** How the server is set up: what would lose units is refused, what may lose time is told. */
import { Fault, isGateFault } from '../../domain/fault.ts';
import type { RedisConnection } from './connection.ts';

const NO_PERSISTENCE =
  'Redis keeps nothing on disk: after its restart every sale is rebuilt from the ledger, and claims that were not settled yet are lost';

const NO_REPLICA =
  'A claim counts once a replica of Redis has it, and there is none: purchases are answered as queued, without a receipt, until they are settled';

async function hasReplica(master: RedisConnection): Promise<boolean> {
  return Number((await info(master, 'replication')).get('connected_slaves')) > 0;
}

/** Of those masters that are there. */
export async function warningsAbout(
  masters: readonly RedisConnection[],
  asksReplica: boolean,
): Promise<readonly string[]> {
  const warnings = new Set<string>();
  for (const master of masters) {
    try {
      for (const warning of await warningsAboutOne(master)) warnings.add(warning);
      if (asksReplica && !(await hasReplica(master))) warnings.add(NO_REPLICA);
    } catch (error) {
      if (!isGateFault(error)) throw error;
      warnings.add(`A master of Redis is away: the sales that it has wait for it. (${error.message})`);
    }
  }
  return [...warnings];
}

async function warningsAboutOne(connection: RedisConnection): Promise<readonly string[]> {
  const memory = await info(connection, 'memory');
  const policy = memory.get('maxmemory_policy') ?? 'unknown';
  if (policy !== 'noeviction') {
    throw new Fault(
      'gate_unusable',
      `Redis may throw away keys of a sale when memory runs out: its maxmemory-policy is ${policy}. Set it to noeviction.`,
    );
  }
  const persistence = await info(connection, 'persistence');
  if (persistence.get('aof_enabled') === '1' || (await savesSnapshots(connection))) return [];
  return [NO_PERSISTENCE];
}

/** True when it cannot be told: who runs the server for others often closes CONFIG. */
async function savesSnapshots(connection: RedisConnection): Promise<boolean> {
  try {
    const reply = (await connection.command('CONFIG', 'GET', 'save')) as readonly string[];
    return reply[1] !== '';
  } catch (error) {
    if (error instanceof Fault && error.code === 'gate_unavailable') return true;
    throw error;
  }
}

async function info(connection: RedisConnection, section: string): Promise<ReadonlyMap<string, string>> {
  const text = String(await connection.command('INFO', section));
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}
