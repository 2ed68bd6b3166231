/**
 * Two processes that serve and two that work, over a PostgreSQL and a Redis of several servers, in whose midst something changes
 * while a crowd is at three sales: a fail-over behind a Sentinel, a slot of a Cluster that moves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { moveSlot } from '../packages/engine/src/adapters/redis/move-slot.contract.ts';
import {
  startClusterTopology,
  startSentinelTopology,
} from '../packages/engine/src/adapters/redis/redis-topologies.contract.ts';
import { SLOTS, slotOf } from '../packages/engine/src/adapters/redis/slots.ts';
import { keysOf } from '../packages/engine/src/adapters/redis/test-names.contract.ts';
import { createTestDatabase } from '../packages/engine/src/adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../packages/engine/src/adapters/sql/test-server.contract.ts';
import { openBalancer } from './balancer.ts';
import { rushWithKeys, startRole } from './sluice-process.ts';

// A machine under load takes its time for eight processes and a crowd.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const KEYS = { adminKey: 'a'.repeat(40), jwtKey: 'j'.repeat(40), serverKey: 's'.repeat(40) };
/** A quarter of the crowd asks again for what it was answered. */
const PEOPLE = {
  ...{ buyers: 500, overMs: 2_000, connections: 50 },
  ...{ retries: 0.25, doubleClicks: 0.1, secondTokens: 0.1, patienceMs: 60_000 },
};
const STOCKS = [101, 157, 200];
const IN_MID_RUSH_MS = 700;

const sentinel = await startSentinelTopology();
const cluster = await startClusterTopology();
const postgres = await startTestServer('postgres');
const missing = [sentinel, cluster].flatMap((each) => ('missing' in each ? [each.missing] : []));
const all = missing.length > 0 ? ({ kind: 'missing', reason: `redis: ${missing[0]}` } as const) : postgres;

describeWithServer('three sales over a Redis of several servers', all, (database) => {
  if ('missing' in sentinel || 'missing' in cluster) throw new Error('both are here');
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await Promise.all([sentinel.topology.stop(), cluster.topology.stop()]);
  });

  async function startDeployment(redisUrl: string) {
    const ledger = await createTestDatabase(database.url);
    ends.push(ledger.drop);
    const env = {
      ...{ SLUICE_REDIS_URL: redisUrl, SLUICE_DATABASE_URL: ledger.url, SLUICE_JWT_KEY: KEYS.jwtKey },
      ...{ SLUICE_ADMIN_KEY: KEYS.adminKey, SLUICE_SERVER_KEY: KEYS.serverKey },
      SLUICE_TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64url')}`,
      // A busy machine must not turn the buyers away.
      SLUICE_MAX_LOOP_LAG_MS: '0',
    };
    const roles = (['serve', 'serve', 'worker', 'worker'] as const).map((role) => startRole(role, env));
    const processes = await Promise.all(roles);
    for (const each of processes) ends.push(() => each.end('SIGKILL'));
    const balancer = await openBalancer(processes.slice(0, 2).map(({ port }) => port));
    ends.push(() => balancer.close());
    return balancer.url;
  }

  async function createSale(url: string, id: string, totalUnits: number): Promise<void> {
    const hourMs = 3_600_000;
    const window = { startsAtMs: Date.now() - hourMs, endsAtMs: Date.now() + hourMs };
    const draft = { id, title: id, totalUnits, limitUnits: 1, holdMs: hourMs, segments: 1, ...window };
    for (const [path, body] of [
      ['', draft],
      [`/${id}/publish`, {}],
    ] as const) {
      const response = await fetch(`${url}/v1/admin/sales${path}`, {
        ...{ method: 'POST', body: JSON.stringify(body) },
        headers: { authorization: `Bearer ${KEYS.adminKey}`, 'content-type': 'application/json' },
      });
      expect(response.ok).toBe(true);
    }
  }

  /** Each sale sold to its last unit, whatever `disturb` does in the midst of it. */
  async function rushThrough(url: string, ids: readonly string[], disturb: () => Promise<void>) {
    for (const [at, id] of ids.entries()) await createSale(url, id, STOCKS[at] ?? 0);
    const rushing = Promise.all(
      ids.map((id, seed) => rushWithKeys({ url, ...KEYS }, { ...PEOPLE, sale: { kind: 'existing', id }, seed })),
    );
    await sleep(IN_MID_RUSH_MS);
    await disturb();
    const reports = await rushing;
    for (const [at, { places, outcomes }] of reports.entries()) {
      const stock = STOCKS[at];
      expect(outcomes).not.toHaveProperty('gave_up');
      expect(places).toMatchObject({ held: stock, available: 0, free: 0, total: stock, balanced: true, still: true });
    }
    return reports.flatMap(({ violations }) => violations);
  }

  test('are sold out, each unit once, when the master is lost and its replica put in its place', async () => {
    const { url, master, sentinel: watcher } = sentinel.topology;
    await watcher.admin.call('SENTINEL', 'SET', 'shop', 'down-after-milliseconds', 1_000);
    await watcher.admin.call('SENTINEL', 'SET', 'shop', 'failover-timeout', 2_000);
    const violations = await rushThrough(await startDeployment(url), ['of-one', 'of-two', 'of-three'], () =>
      master.crash(),
    );
    // What was only queued, and not copied yet, went down with it: its buyer holds a receipt, and may find the sale empty.
    expect(violations.filter(({ name }) => name !== 'win_lost')).toEqual([]);
  });

  test('are sold out, and nothing is lost, when the slot of one moves to another master', async () => {
    const { url, nodes } = cluster.topology;
    const ids = ['in-one', 'in-two', 'in-three'];
    const slot = slotOf(keysOf({ saleId: 'in-two', region: 'home', segment: 0 }, null).meta);
    const from = Math.floor((slot * nodes.length) / SLOTS);
    const violations = await rushThrough(await startDeployment(url), ids, () =>
      moveSlot(slot, nodes, from, (from + 1) % nodes.length),
    );
    expect(violations).toEqual([]);
  });
});
