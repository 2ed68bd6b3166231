import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../adapters/system/clock.ts';
import { createRequestLimits, NO_RATES, type Rates } from '../funnel/gateway/request-limits.ts';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

const PROXY = ['127.0.0.0/8', '::1/128'];
const slow = (burst: number) => ({ perSecond: 0.01, burst });

describe('limits over HTTP', () => {
  let world: HttpWorld | null = null;

  afterEach(() => world?.close());

  async function newWorld(rates: Partial<Rates>, trustedProxies: readonly string[] = []): Promise<HttpWorld> {
    world = await newHttpWorld({ trustedProxies, limits: createRequestLimits(systemClock, { ...NO_RATES, ...rates }) });
    return world;
  }

  const statusesOf = async (calls: readonly Promise<{ status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status);
  const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

  it('limit whoever rotates X-Forwarded-For past a server that trusts no proxy (K33, S8)', async () => {
    const { call } = await newWorld({ address: slow(20) });
    const tries = indexes(100).map((index) =>
      call('GET', '/v1/sales', { headers: { 'x-forwarded-for': `10.1.${index}.1, 10.2.${index}.1` } }),
    );
    const statuses = await statusesOf(tries);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80);
  });

  it('let a thousand users through who come by one trusted proxy, and believe the nearest untrusted hop only (K33)', async () => {
    const { call } = await newWorld({ address: slow(1) }, PROXY);
    const from = (forwarded: string) => call('GET', '/v1/sales', { headers: { 'x-forwarded-for': forwarded } });
    const statuses: number[] = [];
    for (const hundred of indexes(10)) {
      statuses.push(...(await statusesOf(indexes(100).map((index) => from(`10.1.${hundred}.${index}`)))));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(1_000);
    expect(await statusesOf(indexes(20).map((index) => from(`10.9.9.${index}, 10.1.0.0`)))).toEqual(
      Array(20).fill(429),
    );
  });

  it('answer with the reason, the policy that was met, and when to come again', async () => {
    const { call } = await newWorld({ address: { perSecond: 0.5, burst: 2 } });
    await call('GET', '/v1/sales');
    await call('GET', '/v1/sales');
    const answer = await call('GET', '/v1/sales', { headers: { 'accept-language': 'zh' } });
    expect(answer.status).toBe(429);
    expect(answer.json).toMatchObject({ reason: 'rate_limited', title: '请求过于频繁，请稍后再试。' });
    expect(answer.headers.get('ratelimit-policy')).toBe('"address";q=2;w=4');
    expect(answer.headers.get('ratelimit')).toBe('"address";r=0;t=2');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(2);
  });

  it('refuse an account that comes from everywhere, and leave the others of its address alone', async () => {
    const { call, openSale } = await newWorld({ account: slow(3) }, PROXY);
    await openSale('skin');
    const token = (as: string, from: string) =>
      call('POST', '/v1/sales/skin/token', { as, headers: { 'x-forwarded-for': from } });
    const statuses = await statusesOf(indexes(10).map((index) => token('ann', `10.0.0.${index}`)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect((await token('bob', '10.0.0.0')).status).toBe(200);
    const refused = await token('ann', '10.0.0.9');
    expect(refused.headers.get('ratelimit-policy')).toBe('"account";q=3;w=300');
  });

  it('keep readers, health and operators out of the limits of sale and node', async () => {
    const { call, openSale } = await newWorld({ sale: slow(2), node: slow(3) });
    await openSale('skin');
    await openSale('other');
    const tries = await statusesOf(
      indexes(5).map((index) => call('POST', '/v1/sales/skin/token', { as: `b${index}` })),
    );
    expect(tries.filter((status) => status === 200)).toHaveLength(2);
    const others = indexes(5).map((index) => call('POST', '/v1/sales/other/token', { as: `b${index}` }));
    expect((await statusesOf(others)).filter((status) => status === 200)).toHaveLength(1);
    for (const path of ['/v1/sales', '/v1/sales/skin', '/livez', '/readyz'])
      expect((await call('GET', path)).status).toBe(200);
    expect((await call('GET', '/v1/orders/AAAAAAAAAAAAAAAAAAAAAA', { as: 'ann' })).status).toBe(404);
    expect((await call('GET', '/v1/admin/sales', { admin: true })).status).toBe(200);
  });

  it('are counted before a body is read', async () => {
    const { call } = await newWorld({ address: slow(1) });
    await call('GET', '/v1/sales');
    const answer = await call('POST', '/v1/sales/skin/purchases', { as: 'ann', body: '{not json' });
    expect(answer.json.reason).toBe('rate_limited');
  });
});
