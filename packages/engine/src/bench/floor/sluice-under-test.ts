/** A deployment to be measured: no limits of rate, keys of its own, a data directory that is thrown away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBuyerJwt } from '../../adapters/system/buyer-jwt.ts';
import { createDeploymentClient } from '../deployment-client.ts';
import { routes } from '../routes.ts';
import { type HttpAnswer, hammer, requestOf } from './hammer.ts';
import { type MeasuredProcess, startMeasured } from './measured-process.ts';

const SLUICE = fileURLToPath(new URL('../../../bin/sluice.mjs', import.meta.url));
const KEY = 'a-key-of-a-measurement-that-guards-nothing';
const KEYS = { SLUICE_ADMIN_KEY: KEY, SLUICE_JWT_KEY: `${KEY}-jwt`, SLUICE_SERVER_KEY: `${KEY}-server` };
const NO_LIMITS = {
  ...{ SLUICE_ADDRESS_RATE: '0', SLUICE_ACCOUNT_RATE: '0', SLUICE_SALE_RATE: '0', SLUICE_NODE_RATE: '0' },
  SLUICE_MAX_LOOP_LAG_MS: '0',
};
const HOUR_MS = 3_600_000;
const MAX_BULK = 1_000;
/** Of what is not a shot of its own. */
const CONNECTIONS = 64;

export interface SluiceUnderTest extends MeasuredProcess {
  openSale(units: number): Promise<string>;
  /** Requests for a token, each by another buyer. */
  tries(saleId: string, count: number): readonly Buffer[];
  /** Purchases that were never sent, each by another buyer. */
  purchases(saleId: string, count: number): Promise<readonly Buffer[]>;
  /** Buys for a back end, in the largest groups; orders a second of the time that settlement itself took. */
  settlementRate(orders: number): Promise<{ readonly ordersPerSecond: number; readonly ordersPerGroup: number }>;
}

export async function startSluiceUnderTest(): Promise<SluiceUnderTest> {
  const parent = mkdtempSync(join(tmpdir(), 'sluice-floor-'));
  const args = [SLUICE, 'start', '--json', '--port', '0', '--data-dir', join(parent, 'data')];
  const server = await startMeasured(args, { ...KEYS, ...NO_LIMITS });
  const client = createDeploymentClient({ url: server.url, connections: 1 });
  const jwtOf = createBuyerJwt({ secret: KEYS.SLUICE_JWT_KEY, buyerClaim: 'sub', lifetimeMs: HOUR_MS });
  let sales = 0;

  async function operate(path: string, body?: unknown): Promise<void> {
    const answer = await client.call({ method: 'POST', path, bearer: KEY, ...(body !== undefined && { body }) });
    if (answer.kind !== 'ok') throw new Error(`${path} was answered with ${answer.status}`);
  }

  async function openSale(units: number): Promise<string> {
    const id = `floor-${++sales}`;
    const nowMs = Date.now();
    const window = { startsAtMs: nowMs - HOUR_MS, endsAtMs: nowMs + HOUR_MS };
    await operate(routes.adminSales(), { id, title: id, totalUnits: units, limitUnits: 1, holdMs: HOUR_MS, ...window });
    await operate(routes.operate(id, 'publish'));
    return id;
  }

  const buyerOf = (saleId: string, index: number) => `${saleId}-${index}`;
  const tries = (saleId: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      requestOf(routes.token(saleId), jwtOf(buyerOf(saleId, index)), undefined),
    );

  async function settled(): Promise<Settled> {
    const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
    return settledIn(await response.text());
  }

  return {
    ...server,
    openSale,
    tries,
    async purchases(saleId, count) {
      const { answers } = await hammer(server.url, tries(saleId, count), CONNECTIONS);
      return answers.map((answer, index) => {
        const { token } = bodyOf(answer, 200) as { readonly token: string };
        return requestOf(routes.purchases(saleId), jwtOf(buyerOf(saleId, index)), { token, units: 1 });
      });
    },
    async settlementRate(orders) {
      const saleId = await openSale(orders);
      const before = await settled();
      const items = Array.from({ length: orders }, (_, index) => ({
        ...{ saleId, buyer: `bulk-${index}`, requestId: `bulk-${index}`, units: 1 },
      }));
      const calls = Array.from({ length: Math.ceil(orders / MAX_BULK) }, (_, call) =>
        requestOf('/v1/bulk/purchases', KEYS.SLUICE_SERVER_KEY, {
          items: items.slice(call * MAX_BULK, (call + 1) * MAX_BULK),
        }),
      );
      for (const { status, text } of (await hammer(server.url, calls, CONNECTIONS)).answers)
        bodyOf({ status, text }, 200);
      const after = await settled();
      const count = after.orders - before.orders;
      return {
        ordersPerSecond: count / (after.seconds - before.seconds),
        ordersPerGroup: count / (after.groups - before.groups),
      };
    },
    async stop() {
      await client.close();
      await server.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function bodyOf(answer: HttpAnswer | undefined, status: number): unknown {
  if (answer?.status !== status) throw new Error(`not ${status}: ${answer?.status} ${answer?.text.slice(0, 300)}`);
  return JSON.parse(answer.text);
}

interface Settled {
  readonly orders: number;
  readonly groups: number;
  readonly seconds: number;
}

function settledIn(metrics: string): Settled {
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
  return {
    orders: figure('sluice_settlement_group_claims_sum'),
    groups: figure('sluice_settlement_group_claims_count'),
    seconds: figure('sluice_settlement_duration_seconds_sum'),
  };
}
