/** Moves a slot of a Cluster from one master to another, for tests: the way of `redis-cli --cluster reshard`. */
import type { RedisServer } from './redis-server.contract.ts';
import { until } from './redis-topologies.contract.ts';

export async function moveSlot(
  slot: number,
  nodes: readonly RedisServer[],
  fromAt: number,
  toAt: number,
): Promise<void> {
  const [from, to] = [nodes[fromAt], nodes[toAt]];
  if (!from || !to) throw new Error('there are as many');
  await openSlot(slot, from, to);
  await closeSlot(slot, nodes, from, to);
  await until(async () => String(await from.admin.call('CLUSTER', 'NODES')).split('[').length === 1);
}

export async function openSlot(slot: number, from: RedisServer, to: RedisServer): Promise<void> {
  const [fromId, toId] = await Promise.all([from, to].map(({ admin }) => admin.call('CLUSTER', 'MYID')));
  await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(fromId));
  await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(toId));
}

/** Brings what is left, and says who has it. */
export async function closeSlot(
  slot: number,
  nodes: readonly RedisServer[],
  from: RedisServer,
  to: RedisServer,
): Promise<void> {
  const toId = String(await to.admin.call('CLUSTER', 'MYID'));
  const keys = (await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 1_000)) as string[];
  if (keys.length > 0) await from.admin.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
  for (const node of [to, from, ...nodes]) await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
}
