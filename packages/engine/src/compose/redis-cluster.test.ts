/** What a Cluster does to sales: one that it moves, loses or holds back hiccups, and the others do not notice. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAnswerLosingProxy } from '../adapters/redis/answer-losing-proxy.contract.ts';
import { closeSlot, moveSlot, openSlot } from '../adapters/redis/move-slot.contract.ts';
import { type ClusterTopology, startClusterTopology, until } from '../adapters/redis/redis-topologies.contract.ts';
import { SLOTS, slotOf } from '../adapters/redis/slots.ts';
import { keysOf } from '../adapters/redis/test-names.contract.ts';
import { openRedisWorld, type RedisWorld } from './redis-world.contract.ts';

const found = await startClusterTopology();

/** A sale that moved, or whose master came back, sells again within this. */
const SELLS_AGAIN_MS = 5_000;

describe.skipIf('missing' in found)('a Cluster of three masters', { timeout: 60_000 }, () => {
  const cluster = (): ClusterTopology => {
    if ('missing' in found) throw new Error(found.missing);
    return found.topology;
  };
  let world: RedisWorld;
  let run = 0;
  beforeEach(async () => {
    for (const admin of cluster().admins) await admin.flushall();
    world = await openRedisWorld(cluster().url);
    run += 1;
  });
  afterEach(() => world.close());
  afterAll(() => ('missing' in found ? undefined : found.topology.stop()));

  /** Of the node that had it when the Cluster was made. */
  function saleOn(node: number): string {
    for (let at = 0; ; at++) {
      const saleId = `sale-${run}-${node}-${at}`;
      if (Math.floor((slotOfSale(saleId) * 3) / SLOTS) === node) return saleId;
    }
  }
  async function openSales(units = 100_000): Promise<readonly [hit: string, other: string]> {
    const sales = [saleOn(0), saleOn(1)] as const;
    for (const saleId of sales) await world.sale(saleId, units);
    return sales;
  }
  /** Buys of both without pause: how long the first stood still, and what the second's buyers were told. */
  async function rush(sales: readonly [string, string], whileThis: () => Promise<void>) {
    let isOver = false;
    const [hit, other] = sales;
    const told = new Set<string>();
    const others = (async () => {
      for (let buyer = 0; !isOver; buyer++) told.add(await world.buy(other, `o${buyer}`));
    })();
    await whileThis();
    const answer = await world.buyPatiently(hit, 'after', SELLS_AGAIN_MS);
    isOver = true;
    await others;
    return { answer, told: [...told] };
  }
  async function endsWell(saleId: string): Promise<void> {
    while ((await world.settle()).length > 0);
    await expect.poll(() => world.balanced(saleId), { timeout: 10_000 }).toBe(true);
  }

  test('gives its sales to several masters', async () => {
    const sales = await openSales(2);
    for (const saleId of sales) {
      expect(await world.buy(saleId, 'ann')).toBe('claimed');
      expect(await world.buy(saleId, 'ben')).toBe('claimed');
      expect(await world.buy(saleId, 'cyd')).toBe('dry');
      expect(await world.buy(saleId, 'ann')).toBe('replayed');
    }
    for (const [node, { admin }] of cluster().nodes.entries()) {
      const keys = (await admin.keys('*:meta')).filter((key) => sales.some((saleId) => key.includes(saleId)));
      expect(keys).toHaveLength(node < 2 ? 1 : 0);
    }
    for (const saleId of sales) await endsWell(saleId);
  });

  test('moves a slot: its sale sells again within seconds, from what it had, and the other does not notice', async () => {
    const sales = await openSales();
    for (let buyer = 0; buyer < 20; buyer++) expect(await world.buy(sales[0], `b${buyer}`)).toBe('claimed');
    await world.settle(10);
    const slot = slotOfSale(sales[0]);
    const { answer, told } = await rush(sales, () => moveSlot(slot, cluster().nodes, 0, 2));
    expect(answer).toBe('claimed');
    expect(told).toEqual(['claimed']);
    expect(await world.buy(sales[0], 'b15')).toBe('replayed');
    // P1: another server means a rebuild, though all came along.
    expect((await world.store.gate.read(segmentOf(sales[0])))?.epoch).toBe(2);
    for (const saleId of sales) await endsWell(saleId);
    expect(await world.missing()).toEqual([]);
    expect(await world.sold(sales[0])).toBe(21);
    await moveSlot(slot, cluster().nodes, 2, 0);
  });

  test('holds a slot between two masters: nothing is done by halves, and the other does not notice', async () => {
    const sales = await openSales();
    const { nodes } = cluster();
    const [from, to] = [nodes[0], nodes[2]];
    if (!from || !to) throw new Error('there are three');
    expect(await world.buy(sales[0], 'ann')).toBe('claimed');
    const slot = slotOfSale(sales[0]);
    await openSlot(slot, from, to);
    // All of its keys are where they were.
    expect(await world.buy(sales[0], 'ben')).toBe('claimed');
    await from.admin.call('MIGRATE', '127.0.0.1', to.port, keysOf(segmentOf(sales[0]), null).stream, 0, 5_000);
    const { told } = await rush(sales, async () => {
      for (let tries = 0; tries < 10; tries++) {
        expect(await world.buy(sales[0], 'cyd')).toBe('gate_unavailable');
        await pause(50);
      }
      await closeSlot(slot, nodes, from, to);
    });
    expect(told).toEqual(['claimed']);
    expect(await world.buyPatiently(sales[0], 'cyd')).toBe('claimed');
    for (const saleId of sales) await endsWell(saleId);
    expect(await world.missing()).toEqual([]);
    await moveSlot(slot, nodes, 2, 0);
  });

  test('loses one master with all it held: only its sales wait, and they sell no more than there is', async () => {
    const sales = await openSales(30);
    const [hit, other] = sales;
    for (let buyer = 0; buyer < 10; buyer++) expect(await world.buy(hit, `b${buyer}`)).toBe('claimed');
    await world.settle(5);
    const { answer, told } = await rush(sales, async () => {
      await cluster().nodes[0]?.crash();
      expect(['gate_unavailable', 'outcome_unknown']).toContain(await world.buy(hit, 'lost'));
      await cluster().nodes[0]?.restart();
    });
    expect(answer).toBe('claimed');
    expect(told.filter((kind) => kind !== 'dry')).toEqual(['claimed']);
    for (let buyer = 0; buyer < 40; buyer++) await world.buyPatiently(hit, `late${buyer}`);
    for (const saleId of sales) await endsWell(saleId);
    // Five claims were lost with it, and their units were sold again.
    expect((await world.missing()).map(({ saleId }) => saleId)).toEqual(new Array(5).fill(hit));
    expect([await world.sold(hit), await world.sold(other)]).toEqual([30, 30]);
  });

  test('loses every tenth answer: each order has its units once', async () => {
    const proxies = await Promise.all(cluster().nodes.map(({ port }) => openAnswerLosingProxy(port)));
    const tell = (ports: readonly number[]) =>
      Promise.all(cluster().admins.map((admin, at) => admin.config('SET', 'cluster-announce-port', ports[at] ?? 0)));
    const announced = async (isSo: (ports: readonly string[]) => boolean) =>
      until(async () => {
        const views = await Promise.all(cluster().admins.map((admin) => admin.cluster('SLOTS')));
        return views.every((view) => isSo(view.map(([, , master]) => String(master?.[1]))));
      });
    const far = proxies.map(({ url }) => url.slice(url.lastIndexOf(':') + 1));
    await tell(far.map(Number));
    await announced((ports) => ports.every((port) => far.includes(port)));
    const behind = await openRedisWorld(`redis+cluster://127.0.0.1:${far[0]}`);
    try {
      const sales = [saleOn(0), saleOn(1)] as const;
      for (const saleId of sales) await behind.sale(saleId, 60);
      for (const proxy of proxies) proxy.loseOneOf(10);
      for (let buyer = 0; buyer < 60; buyer++) {
        for (const saleId of sales) {
          expect(await behind.buyPatiently(saleId, `b${buyer}`)).toMatch(/^(claimed|replayed)$/);
        }
      }
      for (const proxy of proxies) proxy.loseOneOf(0);
      expect(proxies.reduce((sum, proxy) => sum + proxy.lost(), 0)).toBeGreaterThan(5);
      for (const saleId of sales) {
        expect(await behind.buyPatiently(saleId, 'late')).toBe('dry');
        const view = await behind.store.gate.read(segmentOf(saleId));
        expect(view?.position.seq).toBe(60);
        expect(view?.unsettled).toHaveLength(60);
      }
    } finally {
      await behind.close();
      await tell(cluster().nodes.map(() => 0));
      await announced((ports) => ports.every((port) => !far.includes(port)));
      for (const proxy of proxies) await proxy.close();
    }
  });

  test('has a master that stands still: only its sales wait', async () => {
    const sales = await openSales();
    const pid = cluster().nodes[0]?.pid() ?? 0;
    const { answer, told } = await rush(sales, async () => {
      process.kill(pid, 'SIGSTOP');
      expect(['gate_unavailable', 'outcome_unknown']).toContain(await world.buy(sales[0], 'ann'));
      await pause(2_000);
      expect(await world.buy(sales[0], 'ben')).toBe('gate_unavailable');
      process.kill(pid, 'SIGCONT');
    });
    expect(answer).toBe('claimed');
    expect(told).toEqual(['claimed']);
    for (const saleId of sales) await endsWell(saleId);
  });
});

function segmentOf(saleId: string) {
  return { saleId, region: 'home', segment: 0 };
}

function slotOfSale(saleId: string): number {
  return slotOf(keysOf(segmentOf(saleId), null).meta);
}
