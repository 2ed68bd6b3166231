import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryTelemetry } from '../adapters/memory/telemetry.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createRequestLimits, NO_RATES } from '../funnel/gateway/request-limits.ts';
import { ADMIN_KEY, type HttpWorld, newHttpWorld } from './http-world.contract.ts';

const metrics = { mediaType: 'text/plain; version=0.0.4; charset=utf-8', write: async () => 'sluice_x 1\n' };

describe('figures over HTTP', () => {
  let world: HttpWorld;
  afterEach(() => world.close());

  it('are for operators where buyers share the port', async () => {
    world = await newHttpWorld({ metrics });
    expect((await world.call('GET', '/metrics')).status).toBe(401);
    expect((await world.call('GET', '/metrics', { as: 'ann' })).status).toBe(401);
    const answer = await world.call('GET', '/metrics', { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([
      200,
      metrics.mediaType,
      'sluice_x 1\n',
    ]);
  });

  it('are open on a port that operators have to themselves, and not there on that of buyers', async () => {
    world = await newHttpWorld({ metrics, serves: 'operators' });
    expect((await world.call('GET', '/metrics')).status).toBe(200);
    await world.close();
    world = await newHttpWorld({ metrics, serves: 'buyers' });
    expect((await world.call('GET', '/metrics')).status).toBe(404);
  });

  it('count whom the door turned away, by stage and reason', async () => {
    const telemetry = createMemoryTelemetry();
    const limits = createRequestLimits(systemClock, { ...NO_RATES, account: { perSecond: 0.01, burst: 1 } });
    let isFull = false;
    const busy = { kind: 'refused', reason: 'busy' } as const;
    world = await newHttpWorld({ telemetry, limits, stub: { shed: () => (isFull ? busy : null) } });
    const token = (as?: string) => world.call('POST', '/v1/sales/none/token', as === undefined ? {} : { as });
    await token('ann');
    await token('ann');
    await token('ann');
    await token();
    isFull = true;
    await token('bob');
    expect(Object.fromEntries(telemetry.figures)).toEqual({
      ...{ 'account_limit rate_limited': 2, 'identity unauthenticated': 1, 'overload busy': 1 },
    });
  });
});
