import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../../adapters/redis/redis-server.contract.ts';
import { startClusterTopology } from '../../../adapters/redis/redis-topologies.contract.ts';
import { createTestDatabase } from '../../../adapters/sql/dialects/postgres/test-database.contract.ts';
import { startTestServer } from '../../../adapters/sql/test-server.contract.ts';
import { holdStore, withStore } from '../../../compose/stopped-store.ts';
import { loadConfig } from '../../../config/load.ts';
import { findDeployment } from '../../deployment.ts';
import type { Scene } from '../scene.ts';
import { checkRedis } from './redis.ts';

const found = await startRedis();
const foundCluster = 'missing' in found ? found : await startClusterTopology(2);
const postgres = await startTestServer('postgres');

async function findings(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const loaded = loadConfig({ env, file: null, flags: {} });
  if (loaded.kind === 'mistaken') throw new Error(JSON.stringify(loaded.mistakes));
  const scene: Scene = {
    ...{ settings: loaded.settings, dataDir: '/', endpoint: null, isRunning: false, store: { kind: 'none' } },
    ...{ deployment: findDeployment({ dataDir: '/' }), isElsewhere: false },
  };
  return (await checkRedis(scene)).map(({ level, says }) => `${level} ${says}`);
}

test('doctor says that no Redis is set', async () => {
  expect(await findings({})).toEqual(['ok None is set: the gate is in the process.']);
});

test('doctor says what is wrong with an address, and that nobody is there, and no password', async () => {
  expect(await findings({ SLUICE_REDIS_URL: 'redis+cluster://:secret@a/1' })).toEqual([
    expect.stringMatching(/^fail SLUICE_REDIS_URL: the address of Redis names no database(?!.*secret)/),
  ]);
  expect(await findings({ SLUICE_REDIS_URL: 'redis://:secret@127.0.0.1:1' })).toEqual([
    expect.stringMatching(/^fail Redis at 127\.0\.0\.1:1 cannot be reached(?!.*secret)/),
  ]);
});

describe.skipIf('missing' in foundCluster)('of a Redis that is there doctor says', () => {
  const server = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  const cluster = () => {
    if ('missing' in foundCluster) throw new Error(foundCluster.missing);
    return foundCluster.topology;
  };
  beforeEach(async () => {
    for (const admin of [server().admin, ...cluster().admins]) {
      await admin.config('SET', 'save', '3600 1');
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });
  afterAll(() => Promise.all([server().stop(), cluster().stop()]));

  test('what it is', async () => {
    expect(await findings({ SLUICE_REDIS_URL: server().url })).toEqual([
      expect.stringMatching(/^ok One server, Redis \d+\.\d+\.\d+, 0 replicas\.$/),
    ]);
    expect(await findings({ SLUICE_REDIS_URL: cluster().url })).toEqual([
      expect.stringMatching(/^ok A Cluster of 2 masters, Redis \d+\.\d+\.\d+, 0 replicas\.$/),
    ]);
  });

  test('that the address is of another form than what is there', async () => {
    const of = (scheme: string, { url }: { readonly url: string }) =>
      `${scheme}://${url.slice(url.indexOf('://') + 3)}`;
    for (const [url, sentence] of [
      [of('redis+cluster', server()), 'cluster support disabled'],
      [of('redis', cluster()), 'It is a node of a Cluster: write redis+cluster://'],
      [`${of('redis+sentinel', server())}/shop`, "unknown command 'sentinel'"],
    ] as const) {
      expect(await findings({ SLUICE_REDIS_URL: url })).toEqual([expect.stringContaining(sentence)]);
    }
  });

  test('K29: that keys may be thrown away, and by which master of several', async () => {
    await cluster().admins[1]?.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await findings({ SLUICE_REDIS_URL: cluster().url })).toContainEqual(
      expect.stringMatching(/^fail .*maxmemory-policy is allkeys-lru\. Set it to noeviction/),
    );
  });

  test.skipIf(postgres.kind === 'missing')(
    'that another ledger has sales there, and how to be rid of them',
    async () => {
      if (postgres.kind === 'missing') throw new Error(postgres.reason);
      const database = await createTestDatabase(postgres.url);
      const own = await withStore(holdStore({ databaseUrl: database.url, dataDir: '/' }), async ({ ledger }) => {
        await ledger.migrate();
        return ledger.id();
      });
      const { admin, url } = server();
      for (const ledger of [own, 'f00f00']) {
        await admin.sadd('sluice:ledgers', ledger);
        await admin.sadd(`sluice:${ledger}:segments`, 'one');
      }
      const told = await findings({ SLUICE_REDIS_URL: url, SLUICE_DATABASE_URL: database.url });
      expect(told).toEqual([
        expect.stringContaining('warn This Redis also holds sales of another ledger, f00f00 (1 segment)'),
        expect.stringContaining('ok One server'),
      ]);
      const removal = /`redis-cli --scan --pattern 'sluice:f00f00:\*' \| xargs .* unlink` removes what it left\.$/;
      expect(told[0]).toMatch(removal);
      await admin.flushall();
      await database.drop();
    },
  );

  test('what is lost when a server is', async () => {
    await server().admin.config('SET', 'save', '');
    await cluster().admins[0]?.config('SET', 'cluster-require-full-coverage', 'yes');
    const env = { SLUICE_CLAIM_DURABILITY: 'replicated' };
    expect(await findings({ ...env, SLUICE_REDIS_URL: server().url })).toEqual([
      expect.stringContaining('warn Redis keeps nothing on disk'),
      expect.stringContaining('warn A claim counts once a replica of Redis has it, and there is none'),
      expect.stringContaining('ok One server'),
    ]);
    expect(await findings({ SLUICE_REDIS_URL: cluster().url })).toContainEqual(
      expect.stringContaining('warn One lost master without a replica stops every sale'),
    );
  });
});
