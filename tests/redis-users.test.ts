/** The users of the guide on a Cluster, and behind a Sentinel: sales are sold, and nothing that was asked for was forbidden. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  type Found,
  startClusterTopology,
  startSentinelTopology,
  until,
} from '../packages/engine/src/adapters/redis/redis-topologies.contract.ts';
import { rulesOf } from './guide-users.ts';
import { newDataDir, type RunningSluice, runSluice, rushAt, startSluice } from './sluice-process.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const cluster = await startClusterTopology();
const sentinel = await startSentinelTopology();

/** What servers and Sentinels say to each other, who are no users of ours; none of it reads or writes a key. */
const BETWEEN_SERVERS = [
  ...['+psync', '+replconf', '+ping', '+info', '+role', '+subscribe', '+publish', '+slaveof', '+multi', '+exec'],
  ...['+config|rewrite', '+client|kill', '+client|setname', '+script|kill'],
];

/** A server's own connection. */
interface Admin {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** Whoever comes without a name may do nothing: a connection that was opened without one would be seen. */
async function addUser(
  admin: Admin,
  name: string,
  nameless = ['on', 'nopass', '&*', ...BETWEEN_SERVERS],
): Promise<void> {
  await admin.call('ACL', 'SETUSER', name, 'reset', ...rulesOf(name));
  await admin.call('ACL', 'SETUSER', 'admin', 'reset', 'on', 'nopass', '+@all', '~*', '&*');
  await admin.call('AUTH', 'admin', 'any');
  await admin.call('ACL', 'SETUSER', 'default', 'reset', ...nameless);
}

async function sellAt(sluice: RunningSluice, sale: string): Promise<void> {
  const report = await rushAt(sluice, { sale: { kind: 'existing', id: sale }, buyers: 200 });
  expect(report.violations).toEqual([]);
  expect(report.orders).toBeGreaterThan(0);
}

async function expectNothingWrong(sluice: RunningSluice, url: string): Promise<void> {
  const { stdout } = await runSluice(['doctor', '--data-dir', sluice.dataDir, '--json'], { SLUICE_REDIS_URL: url });
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { check: string; level: string }[] };
  const ofRedis = findings.filter(({ check }) => check === 'redis').map(({ level }) => level);
  expect(ofRedis).toContain('ok');
  expect(ofRedis).not.toContain('fail');
}

async function expectNothingForbidden(admins: readonly Admin[]): Promise<void> {
  for (const admin of admins) {
    // A master that became a replica has cut its connections.
    await admin.call('AUTH', 'admin', 'any');
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  }
}

const start = (url: string) =>
  startSluice({ dataDir: newDataDir(), env: { SLUICE_REDIS_URL: url, SLUICE_MAX_LOOP_LAG_MS: '0' } });

function whenFound<Topology extends { stop(): Promise<void> }>(
  found: Found<Topology>,
  sells: (topology: Topology) => Promise<void>,
): () => Promise<void> {
  afterAll(() => ('missing' in found ? undefined : found.topology.stop()));
  return async () => {
    if ('missing' in found) throw new Error(found.missing);
    await sells(found.topology);
  };
}

describe('the user of the guide', () => {
  test.skipIf('missing' in cluster)(
    'sells on every master of a Cluster',
    whenFound(cluster, async ({ nodes, url: open }) => {
      const admins = nodes.map(({ admin }) => admin);
      for (const admin of admins) await addUser(admin, 'sluice');
      const url = open.replace('://', '://sluice:secret@');
      const sluice = await start(url);
      for (const sale of ['starter-skin', 'starter-gift']) await sellAt(sluice, sale);
      await expectNothingWrong(sluice, url);
      expect((await sluice.end('SIGTERM')).stderr).not.toMatch(/NOPERM|refused a call/);
      await expectNothingForbidden(admins);
    }),
  );

  test.skipIf('missing' in sentinel)(
    'sells behind a Sentinel, on the next master, too, and finds it as the Sentinel’s own user',
    whenFound(sentinel, async ({ master, replica, sentinel: watcher, url: open }) => {
      for (const { admin } of [master, replica]) await addUser(admin, 'sluice');
      await addUser(watcher.admin, 'sluice-watch', ['off']);
      const login = '?sentinelUsername=sluice-watch&sentinelPassword=secret';
      const url = `${open.replace('://', '://sluice:secret@')}${login}`;
      const sluice = await start(url);
      await sellAt(sluice, 'starter-skin');
      await expectNothingWrong(sluice, url);
      await watcher.admin.call('SENTINEL', 'FAILOVER', 'shop');
      await until(async () => (await replica.admin.role())[0] === 'master');
      // Until then it takes claims that no other server gets to know.
      await until(async () => (await master.admin.role())[0] === 'slave');
      await sellAt(sluice, 'starter-gift');
      await expectNothingWrong(sluice, url);
      await sluice.end('SIGTERM');
      await expectNothingForbidden([master.admin, replica.admin, watcher.admin]);
    }),
  );
});
