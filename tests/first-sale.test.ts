import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Crowd, newDataDir, type RunningSluice, runSluice, rushAt, startSluice } from './sluice-process.ts';

// Each command is a process; a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const BEARER = (credential: string) => ({ authorization: `Bearer ${credential}` });

let sluice: RunningSluice;

beforeAll(async () => {
  sluice = await startSluice({ dataDir: newDataDir() });
});

async function command(...args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runSluice([...args, '--json', '--data-dir', sluice.dataDir]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function postJson(path: string, jwt: string, body?: unknown) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${sluice.url}${path}`, {
    ...{ method: 'POST', headers: { ...BEARER(jwt), ...json } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

describe('a first sale', () => {
  test('five thousand buyers at five hundred units make five hundred orders', async () => {
    const report = await command('rush', '--buyers', '5000', '--stock', '500', '--patience', '60s', '--over', '2');
    expect(report).toMatchObject({ buyers: 5_000, orders: 500, violations: [] });
    expect(report).toMatchObject({ places: { available: 0, held: 500, sold: 0, total: 500, balanced: true } });
    expect(report).toMatchObject({ outcomes: { accepted: 500 } });
  });

  const crowds: readonly (readonly [name: string, Crowd, orders: number])[] = [
    ['nothing to sell', { sale: { kind: 'fresh', stock: 0, limit: 1 } }, 0],
    ['one unit', { sale: { kind: 'fresh', stock: 1, limit: 1 } }, 1],
    ['seven units', { sale: { kind: 'fresh', stock: 7, limit: 1 } }, 7],
    ['two at a time, at most three each', { sale: { kind: 'fresh', stock: 101, limit: 3 }, units: 2 }, 50],
    ['three at a time, at most three each', { sale: { kind: 'fresh', stock: 100, limit: 3 }, units: 3 }, 33],
    ['a hundred at a time, at most one each', { sale: { kind: 'fresh', stock: 500, limit: 1 }, units: 100 }, 0],
    ['more units than buyers', { sale: { kind: 'fresh', stock: 1_000, limit: 1 }, buyers: 200 }, 200],
  ];

  test.each(crowds)('%s', async (_name, crowd, orders) => {
    const report = await rushAt(sluice, crowd);
    expect(report.violations).toEqual([]);
    expect(report.orders).toBe(orders);
  });

  test('is bought by hand, in three calls', async () => {
    const { jwt } = (await command('dev-token', 'ann')) as { readonly jwt: string };
    const token = await postJson('/v1/sales/starter-skin/token', jwt);
    const accepted = await postJson('/v1/sales/starter-skin/purchases', jwt, { token: token.body.token, units: 1 });
    expect(accepted).toMatchObject({ status: 202, body: { status: 'pending', units: 1, replayed: false } });

    const order = await fetch(`${sluice.url}/v1/orders/${accepted.body.orderId}`, { headers: BEARER(jwt) });
    expect(await order.json()).toMatchObject({ orderId: token.body.orderId, units: 1, status: 'pending' });
    const stranger = (await command('dev-token', 'bob')) as { readonly jwt: string };
    const peeped = await fetch(`${sluice.url}/v1/orders/${accepted.body.orderId}`, {
      headers: BEARER(stranger.jwt),
    });
    expect(peeped.status).toBe(404);
  });

  test('has a page', async () => {
    const page = await fetch(`${sluice.url}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  test('is created and shown by commands', async () => {
    const created = await command(
      'sale',
      'create',
      'gift-pack',
      '--units',
      '7',
      '--limit',
      '2',
      '--starts',
      '+1h',
      '--lasts',
      '2h',
    );
    expect(created).toMatchObject({ id: 'gift-pack', state: 'live', phase: 'upcoming', totalUnits: 7, limitUnits: 2 });
    const shown = await command('sale', 'show', 'gift-pack');
    expect(shown).toMatchObject({ state: 'live', places: { available: 7, total: 7, balanced: true, still: true } });
    const draft = await command('sale', 'create', 'later', '--units', '1', '--draft');
    expect(draft).toMatchObject({ state: 'draft' });
    expect(await runSluice(['sale', 'create', 'later', '--units', '1', '--data-dir', sluice.dataDir])).toMatchObject({
      ...{ code: 1, stderr: expect.stringMatching(/^sluice: .*\(exists\)\n$/) },
    });
  });
});

describe('a deployment', () => {
  test('that is told to stop ends cleanly, and goes on where it was', async () => {
    const dataDir = newDataDir();
    const first = await startSluice({ dataDir });
    const report = await rushAt(first, { sale: { kind: 'existing', id: 'starter-skin' }, buyers: 20 });
    expect(report.violations).toEqual([]);
    const { code, stderr } = await first.end('SIGTERM');
    expect(code).toBe(0);
    expect(stderr).not.toContain('"level":50');
    expect(existsSync(join(dataDir, 'endpoint.json'))).toBe(false);

    const second = await startSluice({ dataDir, port: first.port });
    const again = await rushAt(second, { sale: { kind: 'existing', id: 'starter-skin' }, buyers: 30 });
    expect(again.violations).toEqual([]);
    expect(again.places).toMatchObject({ held: 50, available: 450, total: 500 });
    await second.end('SIGTERM');
  });

  test('says in one sentence why it does not start', async () => {
    const taken = await runSluice(['start', '--data-dir', newDataDir(), '--port', String(sluice.port)]);
    expect(taken).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^sluice: Port \d+ on 127.0.0.1 is in use.*\n$/),
    });

    const dataDir = newDataDir();
    writeFileSync(dataDir, 'a file');
    const unusable = await runSluice(['start', '--data-dir', join(dataDir, 'data')]);
    expect(unusable).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice: The data directory .* cannot be used.*\n$/),
    });

    const mistaken = await runSluice(['start', '--port', 'eighty'], { SLUICE_PROT: '1', SLUICE_LOG_LEVEL: 'loud' });
    expect(mistaken).toMatchObject({ code: 2, stderr: expect.stringContaining('the configuration has 3 mistakes') });
  });

  test('that is not there is told as that', async () => {
    const dataDir = newDataDir();
    const nothing = await runSluice(['sale', 'show', 'starter-skin', '--data-dir', dataDir]);
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice: Nothing runs on the data directory .*\n$/),
    });
    const nobody = await runSluice(['rush', '--url', 'http://127.0.0.1:1', '--data-dir', dirname(dataDir)]);
    expect(nobody).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice: The data directory .* has no keys.*\n$/),
    });
  });
});
