import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pool } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createBuyerJwt } from '../adapters/system/buyer-jwt.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createJwtIdentity } from '../adapters/system/identity.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createPrometheusTelemetry } from '../adapters/system/prometheus.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { writeToken } from '../funnel/gateway/purchase-token.ts';
import { createRequestLimits } from '../funnel/gateway/request-limits.ts';
import { createHttpServer } from '../http/server.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';
import { ratesOf } from './rates-of.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const TIMEOUT_MS = 900_000;
const MIB = 1_024 * 1_024;
const MAY_GROW_BYTES = 8 * MIB;
const AT_ONCE = 500;
const KEY = 'a-key-for-tests-that-is-long-enough-to-be-one';

const idSource = createIdSource();
const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Twice, with a turn between: what was waiting for a finaliser is gone, too. */
async function heapBytes(): Promise<number> {
  collectGarbage();
  await new Promise((resolve) => setTimeout(resolve, 50));
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A sale of one unit, which is held. */
async function openEmptySale(): Promise<Engine> {
  const { gate, queue } = createMemoryStore({ clock, idSource });
  const fail = (error: unknown) => {
    throw error;
  };
  const engine = buildEngine({
    ...{ clock, idSource, signer, gate, queue, feed: createMemoryOrderFeed(), ledger: createMemoryLedger({ clock }) },
    ...{ telemetry: createPrometheusTelemetry(), onFault: fail, onCrash: fail },
  });
  await engine.start();
  closers.push(() => engine.stop());
  const nowMs = clock.nowMs();
  await engine.createSale({
    ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
    ...{ id: 'skin', title: 'Skin', totalUnits: 1, limitUnits: 1, holdMs: 3_600_000 },
    ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 3_600_000 },
  });
  await engine.operateSale('skin', 'publish');
  const winner = await engine.purchase({
    saleId: 'skin',
    buyer: buyerOf('winner'),
    token: tokenOf('winner'),
    units: 1,
  });
  expect(winner.kind).toBe('accepted');
  return engine;
}

const buyerOf = (buyerId: string) => ({ buyerId, region: HOME_REGION, channel: MAIN_CHANNEL });

function tokenOf(buyerId: string): string {
  const nowMs = clock.nowMs();
  const window = { earliestMs: nowMs - 1_000, latestMs: nowMs + 3_600_000 };
  return writeToken(signer, { ...buyerOf(buyerId), orderId: idSource.newId(), saleId: 'skin', ...window });
}

/** So many at once, until `count` have been served. */
async function inTurns(count: number, attempt: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => attempt(from + index)));
  }
}

describe('attempts that are refused leave nothing in memory', () => {
  test(
    'a million of them, each by somebody else',
    async () => {
      const engine = await openEmptySale();
      async function attempt(index: number): Promise<void> {
        const buyerId = `buyer-${index}`;
        const token = tokenOf(buyerId);
        const answer = await engine.purchase({ saleId: 'skin', buyer: buyerOf(buyerId), token, units: 1 });
        if (answer.kind !== 'refused' || answer.reason !== 'none_left_now') throw new Error(JSON.stringify(answer));
      }
      await inTurns(50_000, attempt);
      const before = await heapBytes();
      await inTurns(1_000_000, attempt);
      expect((await heapBytes()) - before).toBeLessThan(MAY_GROW_BYTES);
    },
    TIMEOUT_MS,
  );

  test(
    'twenty thousand over HTTP, once every cache is as large as it may be',
    async () => {
      const engine = await openEmptySale();
      const rates = ratesOf({ addressRate: '100/400', accountRate: '10/40', saleRate: '0/0', nodeRate: '0/0' });
      const limits = createRequestLimits(clock, rates);
      const identity = createJwtIdentity({ secret: KEY, buyerClaim: 'sub' });
      const app = createHttpServer({
        ...{ engine, clock, limits, identity, adminKey: KEY, serverKey: `${KEY}-of-the-back-end` },
        ...{ isReady: () => true, logger: false, trustedProxies: ['127.0.0.0/8'] },
      });
      await app.listen({ host: '127.0.0.1', port: 0 });
      closers.push(() => app.close());
      const pool = new Pool(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, { connections: 50 });
      closers.push(() => pool.destroy());
      const jwtOf = createBuyerJwt({ secret: KEY, buyerClaim: 'sub', lifetimeMs: 3_600_000 });

      async function attempt(index: number): Promise<void> {
        const buyerId = `buyer-${index}`;
        const { statusCode, body } = await pool.request({
          ...{
            method: 'POST',
            path: '/v1/sales/skin/purchases',
            body: JSON.stringify({ token: tokenOf(buyerId), units: 1 }),
          },
          headers: {
            ...{ authorization: `Bearer ${jwtOf(buyerId)}`, 'content-type': 'application/json' },
            'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
          },
        });
        const text = await body.text();
        if (statusCode !== 409) throw new Error(`${statusCode}: ${text}`);
      }
      // Callers with a bucket each that stays, and credentials that are remembered.
      for (let index = 0; index < 150_000; index++) {
        const caller = { address: `warm-${index}`, saleId: null };
        limits.enter(caller);
        limits.enterAs(caller.address, caller);
      }
      for (let index = 0; index < 30_000; index++) identity.identify(jwtOf(`warm-${index}`));
      await inTurns(5_000, attempt);
      const before = await heapBytes();
      await inTurns(20_000, (index) => attempt(1_000_000 + index));
      expect((await heapBytes()) - before).toBeLessThan(MAY_GROW_BYTES);
    },
    TIMEOUT_MS,
  );
});
