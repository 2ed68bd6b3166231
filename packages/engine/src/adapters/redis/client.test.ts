import { afterAll, describe, expect, test } from 'vitest';
import { readRedisAddress } from './address.ts';
import { closeClient, createClient } from './client.ts';
import { startSentinelTopology } from './redis-topologies.contract.ts';

const found = await startSentinelTopology();

describe.skipIf('missing' in found)('a client of a master behind a Sentinel', { timeout: 30_000 }, () => {
  const topology = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.topology;
  };
  afterAll(() => topology().stop());

  test('comes back when it was called off while it asked who the master is, and not when it was closed', async () => {
    const { url, master, sentinel } = topology();
    const client = createClient(readRedisAddress(url), { commandMs: 300, connectMs: 1_000 });
    await client.connect();
    // The answer takes its time.
    process.kill(sentinel.pid(), 'SIGSTOP');
    await master.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await expect.poll(() => client.status).toBe('connecting');
    client.disconnect(true);
    await expect.poll(() => client.status).toBe('end');
    process.kill(sentinel.pid(), 'SIGCONT');
    await expect.poll(() => client.status, { timeout: 10_000 }).toBe('ready');
    expect(await client.ping()).toBe('PONG');

    closeClient(client);
    await expect.poll(() => client.status).toBe('end');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(client.status).toBe('end');
  });
});
