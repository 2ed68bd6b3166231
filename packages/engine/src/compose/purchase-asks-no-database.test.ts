/** What serves buyers on Redis asks the database nothing for a purchase, be it won or refused, and opens no connection to it (L9). */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { openRedisStore } from '../adapters/redis/store.ts';
import { TEST_LEDGER } from '../adapters/redis/test-names.contract.ts';
import { openPostgresLedger } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { createTestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine } from './engine.ts';

const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
const UNITS = 300;
const BUYERS = 1_000;
/** A sale that is looked at is read again every half second, whoever buys; that and no more. */
const MOST_READINGS = 40;

const redis = await startRedis();

describeWithServer('a process that serves on Redis', await startTestServer('postgres'), (postgres) => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  afterAll(() => ('missing' in redis ? undefined : redis.server.stop()));

  async function start(works: boolean, databaseUrl: string): Promise<Engine> {
    if ('missing' in redis) throw new Error(redis.missing);
    const opened = await openPostgresLedger({ url: databaseUrl, maxConnections: 4 });
    const {
      close,
      serverClock,
      warnings: _,
      ...store
    } = await openRedisStore({ ledgerId: TEST_LEDGER, url: redis.server.url, clock });
    const engine = buildEngine({
      ...{ clock, signer, idSource: createIdSource(), ledger: opened.ledger, works, sharesWork: true },
      ...{ ...store, gateClock: serverClock, isGateShared: true, answersQueued: true },
      onFault: () => {},
      onCrash: (error) => {
        throw error;
      },
    });
    await engine.start();
    ends.push(async () => {
      await engine.stop();
      close();
      await opened.close();
    });
    return engine;
  }

  test.skipIf('missing' in redis)('sells without the database', { timeout: 120_000 }, async () => {
    const database = await createTestDatabase(postgres.url);
    ends.push(database.drop);
    const way = await startCountingProxy(database.url);
    ends.push(way.close);
    await start(true, database.url);
    const serve = await start(false, way.url);
    const nowMs = Date.now();
    await serve.createSale({
      ...{ id: 'skin', title: 'Skin', offer: plainOffer('skin'), timeZone: 'UTC', totalUnits: UNITS, limitUnits: 1 },
      ...{ startsAtMs: nowMs - 60_000, endsAtMs: nowMs + 3_600_000, holdMs: 3_600_000 },
    });
    await serve.operateSale('skin', 'publish');
    const tokens = await Promise.all(
      Array.from({ length: BUYERS }, async (_, index) => {
        const buyer = { buyerId: `buyer-${index}`, region: HOME_REGION, channel: MAIN_CHANNEL };
        const issued = await serve.issueToken('skin', buyer);
        if (issued.kind === 'refused') throw new Error(issued.reason);
        return { buyer, token: issued.token };
      }),
    );

    const before = way.counts();
    const answers: string[] = [];
    let next = 0;
    const hand = async () => {
      for (let mine = tokens[next++]; mine; mine = tokens[next++]) {
        for (;;) {
          const answer = await serve.purchase({ saleId: 'skin', ...mine, units: 1 });
          const said = answer.kind === 'accepted' ? 'accepted' : answer.reason;
          if (said === 'busy') continue;
          answers.push(said);
          break;
        }
      }
    };
    await Promise.all(Array.from({ length: 50 }, hand));
    const after = way.counts();

    expect(answers.filter((said) => said === 'accepted')).toHaveLength(UNITS);
    expect(answers.filter((said) => said === 'none_left_now' || said === 'sold_out')).toHaveLength(BUYERS - UNITS);
    expect(after.connections - before.connections).toBe(0);
    expect(after.messages - before.messages).toBeLessThan(MOST_READINGS);
    // It counts: what an operator asks goes this way.
    await serve.showSale('skin');
    expect(way.counts().messages).toBeGreaterThan(after.messages);
  });
});

/** Passes everything on, and counts the connections and what is sent to the database. */
async function startCountingProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let connections = 0;
  let messages = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    connections++;
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
    client.on('data', () => void messages++);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    counts: () => ({ connections, messages }),
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
