/** One process with its gate in Redis: what it answers, and how it gets over the loss of its gate. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { loadConfig } from '../config/load.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { type EmbeddedDeployment, startEmbedded } from './start-embedded.ts';

const found = await startRedis();

/** A ledger's worker that starts from source compiles as it goes. */
const SLOW_START_MS = 120_000;
/** A lost gate sells again within this. */
const SELLS_AGAIN_MS = 5_000;

describe.skipIf('missing' in found)('a deployment with its gate in Redis', { timeout: SLOW_START_MS }, () => {
  const server = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  let dataDir: string;
  let running: EmbeddedDeployment[];
  let logged: string[];
  beforeEach(async () => {
    await server().admin.flushall();
    dataDir = mkdtempSync(join(tmpdir(), 'sluice-redis-'));
    running = [];
    logged = [];
  });
  afterEach(async () => {
    for (const deployment of running) await deployment.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  afterAll(() => server().stop());

  async function start(
    redisUrl = server().url,
    env: Readonly<Record<string, string>> = {},
  ): Promise<EmbeddedDeployment> {
    // A busy machine must not turn the buyers away.
    const flags = { port: '0', dataDir, maxLoopLagMs: '0' };
    const loaded = loadConfig({ env: { ...env, SLUICE_REDIS_URL: redisUrl }, file: null, flags });
    if (loaded.kind === 'mistaken') throw new Error(JSON.stringify(loaded.mistakes));
    const deployment = await startEmbedded({
      settings: loaded.settings,
      log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
      onCrash: (error) => {
        throw error;
      },
    });
    running.push(deployment);
    return deployment;
  }

  async function buy({ engine, sampleSales: [sampleSale] }: EmbeddedDeployment, buyerId: string) {
    const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
    const saleId = sampleSale?.id ?? '';
    const issued = await engine.issueToken(saleId, buyer);
    if (issued.kind === 'refused') return issued;
    return engine.purchase({ saleId, buyer, token: issued.token, units: 1 });
  }

  async function isBalanced({ engine, sampleSales: [sampleSale] }: EmbeddedDeployment): Promise<unknown> {
    const read = await engine.readPlaces(sampleSale?.id ?? '');
    return read.kind === 'read' && read.reading.isBalanced;
  }

  test('answers as soon as the gate has the claim, and settles it', async () => {
    const deployment = await start();
    const answer = await buy(deployment, 'ann');
    expect(answer).toMatchObject({ kind: 'accepted', status: 'queued', receipt: expect.any(String) });
    if (answer.kind !== 'accepted') throw new Error('it was accepted');
    await expect.poll(async () => (await deployment.engine.showOrder(answer.orderId))?.state).toBe('pending');
    await expect.poll(() => isBalanced(deployment)).toBe(true);
    expect(logged.join('')).toContain('Redis keeps nothing on disk');
  });

  test('answers once the ledger has the order, when it is told to', async () => {
    const deployment = await start(server().url, { SLUICE_CLAIM_DURABILITY: 'durable' });
    const answer = await buy(deployment, 'ann');
    expect(answer).toMatchObject({ kind: 'accepted', status: 'pending' });
    if (answer.kind !== 'accepted') throw new Error('it was accepted');
    expect(await deployment.engine.showOrder(answer.orderId)).toMatchObject({ state: 'pending' });
  });

  test('answers as queued, and without a receipt, what no replica has when it is told to ask one', async () => {
    const deployment = await start(server().url, { SLUICE_CLAIM_DURABILITY: 'replicated' });
    expect(logged.join('')).toContain('once a replica of Redis has it, and there is none');
    const answer = await buy(deployment, 'ann');
    expect(answer).toMatchObject({ kind: 'accepted', status: 'queued', receipt: null });
    if (answer.kind !== 'accepted') throw new Error('it was accepted');
    await expect.poll(async () => (await deployment.engine.showOrder(answer.orderId))?.state).toBe('pending');
    await expect.poll(() => isBalanced(deployment)).toBe(true);
  });

  test('sells again after its gate was lost, and never more than there is', async () => {
    const deployment = await start();
    const first = await buy(deployment, 'ann');
    if (first.kind !== 'accepted') throw new Error('it was accepted');
    await expect.poll(async () => (await deployment.engine.showOrder(first.orderId))?.state).toBe('pending');
    await server().crash();
    await server().restart();
    const backAtMs = performance.now();
    await expect
      .poll(async () => (await buy(deployment, 'ben')).kind, { timeout: SELLS_AGAIN_MS, interval: 50 })
      .toBe('accepted');
    expect(performance.now() - backAtMs).toBeLessThan(SELLS_AGAIN_MS);
    expect(await buy(deployment, 'ann')).toMatchObject({ reason: 'over_limit' });
    await expect.poll(() => isBalanced(deployment)).toBe(true);
  });

  test('is started again on what it left in Redis', async () => {
    const before = await start();
    for (const buyer of ['ann', 'ben', 'cyd']) expect(await buy(before, buyer)).toMatchObject({ kind: 'accepted' });
    expect(await before.stop()).toEqual({ droppedClaims: 0 });
    running = [];
    const after = await start();
    const count = async () => (await after.engine.listOrders({}, null, 10)).orders.length;
    await expect.poll(count, { timeout: 20_000 }).toBe(3);
    expect(await buy({ ...after, sampleSales: before.sampleSales }, 'ann')).toMatchObject({ reason: 'over_limit' });
  });

  test('K29: is not ready while its Redis may throw keys away, says so, and is ready again after', async () => {
    const deployment = await start();
    const readiness = async () => (await fetch(`${deployment.url}/readyz`)).status;
    const says = (text: string) => () => logged.some((line) => line.includes(text));
    expect(await readiness()).toBe(200);
    await server().admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      await expect.poll(readiness, { timeout: 10_000 }).toBe(503);
      await expect.poll(says('maxmemory-policy is allkeys-lru. Set it to noeviction')).toBe(true);
      // Whoever is there already goes on: nothing was thrown away yet.
      expect(await buy(deployment, 'ann')).toMatchObject({ kind: 'accepted' });
    } finally {
      await server().admin.config('SET', 'maxmemory-policy', 'noeviction');
    }
    await expect.poll(readiness, { timeout: 10_000 }).toBe(200);
    expect(says('/readyz says yes again')()).toBe(true);
  });

  test('does not start without its Redis, and says what to do', async () => {
    await expect(start('redis://:secret@127.0.0.1:1')).rejects.toThrow(
      /^Redis at 127\.0\.0\.1:1 cannot be reached: .* Start it, or correct SLUICE_REDIS_URL\.$/,
    );
  });
});
