/** Engines on one Redis, as the processes of a deployment are: what their tests set up alike. */
import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import type { FoundServer, RedisServer } from '../adapters/redis/redis-server.contract.ts';
import { openRedisStore, type RedisStore } from '../adapters/redis/store.ts';
import { TEST_LEDGER } from '../adapters/redis/test-names.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { SaleWish } from '../inventory/create-sale.ts';
import type { Ledger } from '../ports/ledger.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine, EngineParts } from './engine.ts';

interface EnginesOnRedis {
  readonly server: RedisServer;
  /** One process. It ends with the test. */
  start(ledger: Ledger, more?: Partial<EngineParts>): Promise<{ readonly engine: Engine; readonly store: RedisStore }>;
  /** Called after the test, the last first. */
  readonly ends: (() => unknown)[];
}

export const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);

/** A suite over a Redis that is empty before each test; left out where there is none. */
export function describeOnRedis(
  title: string,
  { found, timeoutMs = 60_000 }: { readonly found: FoundServer; readonly timeoutMs?: number },
  suite: (engines: EnginesOnRedis) => void,
): void {
  describe.skipIf('missing' in found)(title, { timeout: timeoutMs }, () => {
    if ('missing' in found) return;
    const { server } = found;
    const ends: (() => unknown)[] = [];
    beforeEach(() => server.admin.flushall());
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });
    afterAll(() => server.stop());
    suite({ server, ends, start: (ledger, more) => startOn(server.url, ends, { ...more, ledger }) });
  });
}

async function startOn(
  url: string,
  ends: (() => unknown)[],
  parts: Pick<EngineParts, 'ledger'> & Partial<EngineParts>,
) {
  const store = await openRedisStore({ ledgerId: TEST_LEDGER, url, clock });
  const { gate, queue, marks, feed, lendingLine, serverClock } = store;
  const engine = buildEngine({
    ...{ clock, signer, idSource: createIdSource() },
    ...{ gate, queue, marks, feed, lendingLine, gateClock: serverClock, isGateShared: true, answersQueued: true },
    onFault: () => {},
    onCrash: (error) => {
      throw error;
    },
    ...parts,
  });
  await engine.start();
  ends.push(async () => {
    await engine.stop();
    store.close();
  });
  return { engine, store };
}

export async function openSale(
  engine: Engine,
  id: string,
  wish: Pick<SaleWish, 'totalUnits'> & Partial<SaleWish>,
): Promise<void> {
  const nowMs = clock.nowMs();
  const created = await engine.createSale({
    ...{ id, title: id, offer: plainOffer(id), timeZone: 'UTC', limitUnits: 1, holdMs: 3_600_000 },
    ...{ startsAtMs: nowMs - 60_000, endsAtMs: nowMs + 3_600_000, ...wish },
  });
  if (created.kind !== 'created') throw new Error(`${id} was not created`);
  const published = await engine.operateSale(id, 'publish');
  if (published.kind !== 'changed') throw new Error(`${id} was not published`);
}

export const buyerOf = (buyerId: string) => ({ buyerId, region: HOME_REGION, channel: MAIN_CHANNEL });

export async function tokenFor(engine: Engine, saleId: string, buyerId: string): Promise<string> {
  const issued = await engine.issueToken(saleId, buyerOf(buyerId));
  if (issued.kind === 'refused') throw new Error(issued.reason);
  return issued.token;
}
