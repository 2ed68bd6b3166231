/** A deployment whose ledger's disk is full: what it says of itself, and what it still does. SQLite holds the file to a size. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { ledgerOn, openDatabase } from '../adapters/sql/dialects/sqlite/open-ledger.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createPrometheusTelemetry } from '../adapters/system/prometheus.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { loadConfig } from '../config/load.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { createHttpServer } from '../http/server.ts';
import { answeringWith } from './answering.ts';
import { buildEngine } from './build-engine.ts';
import { keysOf } from './deployment-keys.ts';

const SLOW_MS = 60_000;
const KEY = 'k'.repeat(43);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-full-disk-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function newWorld() {
  const database = await openDatabase(join(directory, 'ledger.db'));
  const { ledger, close } = await ledgerOn(database);
  const idSource = createIdSource();
  const store = createMemoryStore({ clock, idSource });
  const loaded = loadConfig({ env: {}, file: null, flags: {} });
  if (loaded.kind === 'mistaken') throw new Error('the defaults are settings');
  const keys = keysOf({ jwtKey: KEY, adminKey: KEY, serverKey: KEY, tokenKeys: [`k1:${KEY}`] }, {});
  const telemetry = createPrometheusTelemetry();
  const engine = buildEngine({
    ...{ clock, idSource, signer: createSigner(keys.tokenKeys), gate: store.gate, queue: store.queue },
    ...{ ledger, feed: createMemoryOrderFeed(), telemetry, onFault: () => {} },
    onCrash: (error) => {
      throw error;
    },
  });
  await engine.start();
  const wallet = { kind: 'none' } as const;
  const lag = { lagMs: () => 0, stop: () => {} };
  const running = { engine, ledger, wallet, telemetry, lag, isSafe: () => true, droppedClaims: () => 0 };
  const log = pino({ level: 'silent' });
  const app = createHttpServer(answeringWith(running, { settings: loaded.settings, log, keys }).deps);
  const get = async (path: string) => {
    const { statusCode, body } = await app.inject({ path, headers: { authorization: `Bearer ${KEY}` } });
    return { status: statusCode, body };
  };
  return {
    ...{ engine, get },
    limitPages(more: number) {
      const pages = Number(Object.values(database.prepare('pragma page_count').get() ?? {})[0]);
      database.exec(`pragma max_page_count = ${pages + more}`);
    },
    async close() {
      await app.close();
      await engine.stop();
      await close();
    },
  };
}

test('a process whose disk is full stays ready, says that its ledger is stalled, and sells again when there is room', {
  timeout: SLOW_MS,
}, async () => {
  const { engine, get, limitPages, close } = await newWorld();
  const readiness = async () => {
    const { status, body } = await get('/readyz');
    return [status, JSON.parse(body).ledger];
  };
  const nowMs = clock.nowMs();
  await engine.createSale({
    ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
    ...{ id: 'skin', title: 'Skin', totalUnits: 2_000, limitUnits: 1, holdMs: 600_000 },
    ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 600_000 },
  });
  await engine.operateSale('skin', 'publish');
  const buy = async (buyerId: string) => {
    const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
    const issued = await engine.issueToken('skin', buyer);
    if (issued.kind === 'refused') return issued;
    return engine.purchase({ saleId: 'skin', buyer, token: issued.token, units: 1 });
  };
  const early = await buy('early');
  if (early.kind !== 'accepted') throw new Error(early.reason);
  expect(await readiness()).toEqual([200, 'settles']);

  limitPages(0);
  const crowd = Array.from({ length: 1_000 }, (_, index) => buy(`buyer-${index}`));
  await expect.poll(readiness, { timeout: SLOW_MS }).toEqual([200, 'stalled']);
  expect((await get('/metrics')).body).toContain('sluice_breaker_state{breaker="ledger",state="closed"} 0');
  expect(await buy('late')).toMatchObject({ kind: 'refused', reason: 'busy' });
  expect(await engine.showOrder(early.orderId)).toMatchObject({ state: 'pending' });

  limitPages(1_000_000);
  await expect.poll(readiness, { timeout: SLOW_MS }).toEqual([200, 'settles']);
  await Promise.all(crowd);
  expect((await buy('late')).kind).toBe('accepted');
  await close();
});
