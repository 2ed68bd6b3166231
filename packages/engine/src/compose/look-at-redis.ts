/** What doctor sees of the Redis that a deployment is told: its form, and how each master is set up. */
import { type RedisAddress, readRedisAddress } from '../adapters/redis/address.ts';
import { openMasters } from '../adapters/redis/open-masters.ts';
import {
  evictionSentence,
  NO_PERSISTENCE,
  NO_REPLICA,
  readServerSettings,
  type ServerSettings,
} from '../adapters/redis/server-settings.ts';
import { strangerSentences, strangersIn } from '../adapters/redis/strangers.ts';
import type { Settings } from '../config/settings.ts';
import { sentenceOf } from './cannot-start.ts';

export interface RedisSight {
  /** What is there. */
  readonly says: string;
  /** It cannot be sold from. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

/** Scripts and streams are used as this version has them. */
const OLDEST_MAJOR = 7;
/** Deadlines of calls are told by one clock. */
const CLOCK_STEP_MS = 500;

/** Null when there is none to look at. `ledgerId`: null when it cannot be told. Throws what is a mistake of ours. */
export async function lookAtRedis(
  settings: Pick<Settings, 'redisUrl' | 'claimDurability'>,
  ledgerId: string | null,
): Promise<RedisSight | null> {
  const { redisUrl, claimDurability } = settings;
  if (redisUrl === undefined) return null;
  try {
    const masters = await openMasters({ url: redisUrl });
    try {
      const servers = await Promise.all(masters.all().map(readServerSettings));
      const offsets = masters.all().flatMap(({ clockOffsetMs }) => clockOffsetMs ?? []);
      const strangers = ledgerId === null ? [] : await strangersIn(masters, ledgerId);
      const warnings = [
        ...warningsOf(servers, claimDurability === 'replicated'),
        ...(Math.max(...offsets) - Math.min(...offsets) > CLOCK_STEP_MS ? [CLOCKS_DIFFER] : []),
        ...strangerSentences(strangers).map((sentence) => `${sentence}.`),
      ];
      return { says: describe(readRedisAddress(redisUrl), servers), failures: failuresOf(servers), warnings };
    } finally {
      masters.close();
    }
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === null) throw error;
    return { says: '', failures: [sentence], warnings: [] };
  }
}

const CLOCKS_DIFFER =
  'The clocks of the masters differ by more than half a second: calls to some of them are given up early.';

function failuresOf(servers: readonly ServerSettings[]): readonly string[] {
  const policies = new Set(servers.map(({ evictionPolicy }) => evictionPolicy));
  return [...policies].filter((policy) => policy !== 'noeviction').map(evictionSentence);
}

function warningsOf(servers: readonly ServerSettings[], asksReplica: boolean): readonly string[] {
  const old = servers.find(({ version }) => Number.parseInt(version, 10) < OLDEST_MAJOR);
  return [
    ...(old ? [`Redis ${old.version} is older than ${OLDEST_MAJOR}, which this was made for.`] : []),
    ...(servers.some(({ keepsOnDisk }) => !keepsOnDisk) ? [`${NO_PERSISTENCE}.`] : []),
    ...(asksReplica && servers.some(({ replicas }) => replicas === 0) ? [`${NO_REPLICA}.`] : []),
    ...(servers.some(({ stopsWithOthers }) => stopsWithOthers) ? [STOPS_WITH_OTHERS] : []),
  ];
}

const STOPS_WITH_OTHERS =
  'One lost master without a replica stops every sale of the Cluster: set cluster-require-full-coverage to no.';

function describe({ kind }: RedisAddress, servers: readonly ServerSettings[]): string {
  const versions = [...new Set(servers.map(({ version }) => version))].join(', ');
  const replicas = servers.reduce((sum, server) => sum + server.replicas, 0);
  const form = {
    server: 'One server',
    sentinel: 'A master behind Sentinels',
    cluster: `A Cluster of ${servers.length} masters`,
  };
  return `${form[kind]}, Redis ${versions}, ${replicas === 1 ? '1 replica' : `${replicas} replicas`}.`;
}
