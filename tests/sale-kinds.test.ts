import { describe, expect, test, vi } from 'vitest';
import { newDataDir, type RunningSluice, runSluice, startSluice } from './sluice-process.ts';

// Each command is a process; a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

async function command(sluice: RunningSluice, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runSluice([...args, '--json', '--data-dir', sluice.dataDir], env);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('after a start', () => {
  test('there is a sale of each kind, and each is bought in its own way', async () => {
    const sluice = await startSluice({ dataDir: newDataDir() });
    const list = await command(sluice, ['sale', 'list']);
    expect(list.sales).toMatchObject([
      { id: 'starter-exchange', kind: 'exchange', state: 'live', price: { points: 60 } },
      { id: 'starter-gift', kind: 'gift_pack', state: 'live', price: null },
      { id: 'starter-skin', kind: 'limited_skin', state: 'live', price: { amount: 4_900, currency: 'CNY' } },
    ]);

    const { jwt } = await command(sluice, ['dev-token', 'ann']);
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${sluice.url}${path}`, {
        ...{ method, headers: { authorization: `Bearer ${jwt}`, ...(body && { 'content-type': 'application/json' }) } },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Readonly<Record<string, unknown>>;
    };
    const buy = async (saleId: string) => {
      const { token } = await call('POST', `/v1/sales/${saleId}/token`);
      return call('POST', `/v1/sales/${saleId}/purchases`, { token, units: 1 });
    };

    expect(await buy('starter-gift')).toMatchObject({ status: 'paid' });

    const skin = await buy('starter-skin');
    expect(skin).toMatchObject({ status: 'pending' });
    const paying = ['order', 'pay', String(skin.orderId), '--reference', 'pay-1', '--amount'];
    const wrong = await runSluice([...paying, '1', '--data-dir', sluice.dataDir]);
    expect(wrong).toMatchObject({ code: 1, stderr: 'sluice: The order costs 4900, not 1. (amount_differs)\n' });
    expect(await command(sluice, [...paying, '4900'])).toMatchObject({ payment: 'applied', status: 'paid' });

    const exchange = await buy('starter-exchange');
    const status = async () => (await call('GET', `/v1/orders/${exchange.orderId}`)).status;
    await expect.poll(status, { timeout: 20_000 }).toBe('paid');
    for (const saleId of ['starter-gift', 'starter-skin', 'starter-exchange']) {
      const { places } = await command(sluice, ['sale', 'show', saleId]);
      expect(places).toMatchObject({ available: 499, sold: 1, total: 500, balanced: true });
    }
    await sluice.end('SIGTERM');
  });

  test.each(['Pacific/Kiritimati', 'America/Los_Angeles'])(
    'a window is the same instant when the server and the operator are in %s (K36)',
    async (zone) => {
      const env = { TZ: zone };
      const sluice = await startSluice({ dataDir: newDataDir(), env });
      const create = (id: string, starts: string) => [
        ...['sale', 'create', id, '--units', '1', '--time-zone', 'America/New_York'],
        ...['--starts', starts, '--ends', '2026-12-01T00:00', '--draft'],
      ];
      expect(await command(sluice, create('night', '2026-11-02T01:30'), env)).toMatchObject({
        ...{ startsAtMs: Date.parse('2026-11-02T06:30:00Z'), startsAt: '2026-11-02T01:30:00-05:00' },
        ...{ endsAtMs: Date.parse('2026-12-01T05:00:00Z'), timeZone: 'America/New_York' },
      });
      for (const [starts, choices] of [
        ['2026-11-01T01:30', '2026-11-01T01:30:00-04:00 or 2026-11-01T01:30:00-05:00'],
        ['2026-03-08T02:30', '2026-03-08T01:30:00-05:00 or 2026-03-08T03:30:00-04:00'],
      ] as const) {
        const refused = await runSluice([...create('guess', starts), '--data-dir', sluice.dataDir], env);
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(choices) });
      }
      await sluice.end('SIGTERM');
    },
  );
});

describe('a deployment that others can reach', () => {
  test('takes no points until it has a wallet, and says which setting is missing', async () => {
    const sluice = await startSluice({ dataDir: newDataDir(), env: { SLUICE_HOST: '0.0.0.0' } });
    const list = await command(sluice, ['sale', 'list']);
    expect(list.sales.map(({ id }: { readonly id: string }) => id)).toEqual(['starter-gift', 'starter-skin']);
    const exchange = ['sale', 'create', 'swap', '--units', '1', '--kind', 'exchange', '--price', '5 points'];
    const refused = await runSluice([...exchange, '--data-dir', sluice.dataDir]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/SLUICE_WALLET_URL.*\(wrong_state\)\n$/) });
    await sluice.end('SIGTERM');
    const half = await runSluice(['start', '--data-dir', newDataDir()], { SLUICE_WALLET_URL: 'http://127.0.0.1:1/w' });
    expect(half).toMatchObject({ code: 2, stderr: expect.stringMatching(/walletKey.*both or neither/s) });
  });
});
