import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { type EmbeddedDeployment, startEmbedded } from './start-embedded.ts';

const KEY = 'configured-'.padEnd(43, 'x');
/** A ledger's worker that starts from source compiles as it goes. */
const SLOW_START_MS = 120_000;

let dataDir: string;
let running: EmbeddedDeployment[];
let logged: string[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-embedded-'));
  running = [];
  logged = [];
});
afterEach(async () => {
  for (const deployment of running) await deployment.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(changed: Partial<Settings> = {}, newKeys = false): Promise<EmbeddedDeployment> {
  const loaded = loadConfig({ env: {}, file: null, flags: { port: '0', dataDir } });
  if (loaded.kind === 'mistaken') throw new Error('the defaults are settings');
  const deployment = await startEmbedded({
    // A busy machine must not turn the buyers away.
    settings: { ...loaded.settings, maxLoopLagMs: 0, ...changed },
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    newKeys,
    onCrash: (error) => {
      throw error;
    },
  });
  running.push(deployment);
  return deployment;
}

describe('a deployment in one process', { timeout: SLOW_START_MS }, () => {
  test('settles what is queued when it stops, whatever ceiling settlement has', async () => {
    const { engine, stop } = await start({ settleOrdersPerSecond: 1 });
    const nowMs = Date.now();
    await engine.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
      ...{ id: 'slow', title: 'Slow', totalUnits: 30, limitUnits: 1, holdMs: 600_000 },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
    });
    await engine.operateSale('slow', 'publish');
    const answers = Array.from({ length: 30 }, async (_, index) => {
      const buyer = { buyerId: `b${index}`, region: HOME_REGION, channel: MAIN_CHANNEL };
      const issued = await engine.issueToken('slow', buyer);
      if (issued.kind === 'refused') return issued;
      return engine.purchase({ saleId: 'slow', buyer, token: issued.token, units: 1 });
    });
    // All of them are at the gate; one a second would go on to the ledger.
    const atGate = async () => {
      const read = await engine.readPlaces('slow');
      return read.kind === 'read' ? read.reading.places.claimed + read.reading.places.held : null;
    };
    await expect.poll(atGate, { timeout: SLOW_START_MS }).toBe(30);
    expect((await engine.read()).queue?.entries).toBeGreaterThan(10);
    expect(await stop()).toEqual({ droppedClaims: 0 });
    const kinds = (await Promise.all(answers)).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['accepted']));
    running.splice(0);

    // One by one, a second each, is what the ceiling would have had; what was left came in groups.
    const { orders } = await (await start()).engine.listOrders({ saleId: 'slow' }, null, 30);
    expect(orders).toHaveLength(30);
    expect(new Set(orders.map(({ settledAtMs }) => settledAtMs)).size).toBeLessThan(25);
  });

  async function identityStatus({ url }: EmbeddedDeployment): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/dev/identity`, { method: 'POST', headers, body: '{"buyer":"ann"}' })).status;
  }

  const places: readonly (readonly [name: string, settings: Partial<Settings>, has: boolean])[] = [
    ['on loopback with a key of its own', {}, true],
    ['where others reach it', { host: '0.0.0.0' }, false],
    ['with a key that is used elsewhere', { jwtKey: KEY }, false],
  ];
  test.each(places)('makes test buyers only on one machine: %s', async (_name, settings, has) => {
    const deployment = await start(settings);
    expect(deployment.hasDevIdentity).toBe(has);
    expect(await identityStatus(deployment)).toBe(has ? 200 : 404);
  });

  test('takes every claim into the ledger before it stops', async () => {
    const { engine, stop } = await start();
    const saleId = 'crowded';
    const nowMs = Date.now();
    const totalUnits = 4_000;
    await engine.createSale({
      ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
      ...{ id: saleId, title: saleId, totalUnits, limitUnits: 1, holdMs: 600_000 },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
    });
    await engine.operateSale(saleId, 'publish');
    const calls = await Promise.all(
      Array.from({ length: totalUnits }, async (_, index) => {
        const buyer = { buyerId: `buyer-${index}`, region: HOME_REGION, channel: MAIN_CHANNEL };
        const issued = await engine.issueToken(saleId, buyer);
        if (issued.kind !== 'issued') throw new Error(issued.reason);
        return { saleId, buyer, token: issued.token, units: 1 };
      }),
    );
    const buy = (some: typeof calls) => Promise.all(some.map((call) => engine.purchase(call)));
    const early = await buy(calls.slice(0, 1_000));
    // The ledger is busy with reading, so that the claims behind it are in the queue yet when the stop comes.
    const reading = Promise.all(Array.from({ length: 300 }, () => engine.listOrders({ saleId }, null, 100)));
    const late = buy(calls.slice(1_000));
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await stop()).toEqual({ droppedClaims: 0 });
    await reading;
    expect([...early, ...(await late)].filter(({ kind }) => kind === 'accepted')).toHaveLength(totalUnits);

    const again = await start();
    const read = await again.engine.readPlaces(saleId);
    expect(read).toMatchObject({ reading: { isBalanced: true, places: { held: totalUnits, available: 0 } } });
    expect(logged).toEqual([]);
    expect(again.hasOlderKeys).toBe(false);
  });

  test('says so when there are keys, and a ledger that has nothing in it', async () => {
    const first = await start();
    expect(first.hasOlderKeys).toBe(false);
    await first.stop();
    for (const file of ['ledger.db', 'ledger.db-wal']) rmSync(join(dataDir, file), { force: true });
    expect((await start()).hasOlderKeys).toBe(true);
    expect(logged.join()).toContain('the ledger is empty, though keys.json was here before it');
  });

  test('makes no new keys beside orders whose tokens they would make void, unless it is told to', async () => {
    const keys = join(dataDir, 'keys.json');
    const { stop, engine } = await start();
    const ann = { buyerId: 'ann', region: HOME_REGION, channel: MAIN_CHANNEL };
    const issued = await engine.issueToken('starter-gift', ann);
    if (issued.kind !== 'issued') throw new Error(issued.reason);
    const bought = { saleId: 'starter-gift', buyer: ann, token: issued.token, units: 1 };
    expect((await engine.purchase(bought)).kind).toBe('accepted');
    await stop();
    renameSync(keys, `${keys}.away`);

    await expect(start()).rejects.toThrow(/SLUICE_TOKEN_KEYS to what it had; .*`sluice start --new-keys`/);
    expect(existsSync(keys)).toBe(false);
    await (await start({ tokenKeys: [`other:${KEY}`] })).stop();
    await expect(start(), 'those that were configured are kept nowhere').rejects.toThrow('The ledger has orders');

    const renewed = await start({}, true);
    expect(await renewed.engine.purchase(bought)).toMatchObject({ reason: 'token_invalid' });
    await renewed.stop();
    renameSync(`${keys}.away`, keys);
    expect((await (await start()).engine.purchase(bought)).kind).toBe('accepted');
  });

  test('makes new keys without a word while nothing was sold', async () => {
    await (await start()).stop();
    rmSync(join(dataDir, 'keys.json'));
    expect((await start()).sampleSales).not.toEqual([]);
  });
});
