/** Several Redis servers that are one to the store, for tests: a master with a replica behind a Sentinel, and a Cluster. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type FoundServer, type RedisServer, startRedis } from './redis-server.contract.ts';
import { SLOTS } from './slots.ts';
import type { RedisDeployment } from './store-subject.contract.ts';

export interface SentinelTopology extends RedisDeployment {
  /** As it began. */
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinel: RedisServer;
  stop(): Promise<void>;
}

export interface ClusterTopology extends RedisDeployment {
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

export type Found<Topology> = { readonly topology: Topology } | { readonly missing: string };

/** The Sentinel waits for a minute before it replaces a master, until it is told otherwise. */
export async function startSentinelTopology(): Promise<Found<SentinelTopology>> {
  const first = await startRedis();
  if ('missing' in first) return first;
  const master = first.server;
  const [replica, sentinel] = (
    await Promise.all([
      startRedis({ flags: [`--replica-of=${master.port}`] }),
      startRedis({ service: 'sentinel', flags: [`--before=${master.port}`] }),
    ])
  ).map(serverOf);
  if (!replica || !sentinel) throw new Error('both are started');
  await until(async () => /slave0:.*state=online/.test(await master.admin.info('replication')));
  await until(async () => ((await sentinel.admin.call('SENTINEL', 'REPLICAS', 'shop')) as unknown[]).length > 0);
  const servers = [sentinel, replica, master];
  return {
    topology: {
      ...{ master, replica, sentinel, admins: [master.admin] },
      url: `redis+sentinel://127.0.0.1:${sentinel.port}/shop`,
      lose: () => loseAll([master]),
      async stop() {
        await Promise.all(servers.map((server) => server.stop()));
      },
    },
  };
}

/** Of so many masters, with a third (say) of the slots each, and no replicas. */
export async function startClusterTopology(masters = 3): Promise<Found<ClusterTopology>> {
  const found = await Promise.all(Array.from({ length: masters }, () => startRedis({ flags: ['--node'] })));
  const missing = found.find((each) => 'missing' in each);
  if (missing) return missing;
  const nodes = found.map(serverOf);
  await Promise.all(
    nodes.map(async ({ admin }, at) => {
      const [from, to] = [at, at + 1].map((share) => Math.round((share * SLOTS) / masters));
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', from ?? 0, (to ?? 0) - 1);
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
    }),
  );
  for (const { admin } of nodes.slice(1)) await nodes[0]?.admin.call('CLUSTER', 'MEET', ...(await whereIs(admin)));
  await until(() => isWhole(nodes));
  return {
    topology: {
      ...{ nodes, admins: nodes.map(({ admin }) => admin) },
      // The others are found by themselves.
      url: `redis+cluster://127.0.0.1:${nodes[0]?.port}`,
      async lose() {
        await loseAll(nodes);
        await until(() => isWhole(nodes));
      },
      async stop() {
        await Promise.all(nodes.map((server) => server.stop()));
      },
    },
  };
}

export async function until(isSo: () => Promise<boolean>, withinMs = 20_000): Promise<void> {
  for (const untilMs = Date.now() + withinMs; !(await isSo().catch(() => false)); ) {
    if (Date.now() > untilMs) throw new Error('it did not become so');
    await pause(20);
  }
}

async function whereIs(admin: Redis): Promise<readonly [host: string, port: number, busPort: number]> {
  const config = async (name: string) => Number((await admin.config('GET', name))[1]);
  return ['127.0.0.1', await config('port'), await config('cluster-port')];
}

async function isWhole(nodes: readonly RedisServer[]): Promise<boolean> {
  const infos = await Promise.all(nodes.map(({ admin }) => admin.cluster('INFO')));
  return infos.every((info) => {
    const text = String(info);
    return /cluster_state:ok/.test(text) && text.includes(`cluster_known_nodes:${nodes.length}`);
  });
}

async function loseAll(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(
    servers.map(async (server) => {
      await server.crash();
      await server.restart();
    }),
  );
}

function serverOf(found: FoundServer): RedisServer {
  if ('missing' in found) throw new Error(found.missing);
  return found.server;
}
