/** What serves buyers on Redis asks the database nothing for a purchase, be it won or refused, and opens no connection to it (L9). */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startRedis } from '../adapters/redis/redis-server.contract.ts';
import { openPostgresLedger } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { createTestDatabase } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import type { Engine } from './engine.ts';
import { buyerOf, describeOnRedis, openSale, tokenFor } from './engines-on-redis.contract.ts';

const UNITS = 300;
const BUYERS = 1_000;
/** A sale that is looked at is read again every half second, whoever buys; that and no more. */
const MOST_READINGS = 40;

const redis = { found: await startRedis(), timeoutMs: 120_000 };
const postgres = await startTestServer('postgres');

describeOnRedis('a process that serves on Redis', redis, ({ start, ends }) => {
  async function startOn(databaseUrl: string, works: boolean): Promise<Engine> {
    const { ledger, close } = await openPostgresLedger({ url: databaseUrl, maxConnections: 4 });
    ends.push(close);
    return (await start(ledger, { works, sharesWork: true })).engine;
  }

  describeWithServer('and PostgreSQL', postgres, ({ url }) => {
    test('sells without the database', async () => {
      const database = await createTestDatabase(url);
      ends.push(database.drop);
      const way = await startCountingProxy(database.url);
      ends.push(way.close);
      await startOn(database.url, true);
      const serve = await startOn(way.url, false);
      await openSale(serve, 'skin', { totalUnits: UNITS });
      const tokens = await Promise.all(
        Array.from({ length: BUYERS }, async (_, index) => {
          const buyer = buyerOf(`buyer-${index}`);
          return { buyer, token: await tokenFor(serve, 'skin', buyer.buyerId) };
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
