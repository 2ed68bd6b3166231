/** A purchase, from the page to the player's mail: the engine as users start it, and the example receiver beside it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readKeys } from '../packages/engine/src/compose/deployment-files.ts';
import { newDataDir, type RunningSluice, runSluice, startSluice } from './sluice-process.ts';

const RECEIVER = fileURLToPath(new URL('../examples/webhook-receiver/main.mjs', import.meta.url));

const TEST_TIMEOUT_MS = 300_000;

const leftovers: (() => unknown)[] = [];
afterAll(() => leftovers.map((end) => end()));

async function startReceiver(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [RECEIVER], {
    ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  leftovers.push(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output, { timeout: 30_000 }).toMatch(/listening at .*:\d+/);
  const [, port = ''] = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
  return {
    port,
    said: () => output,
    async end() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

async function callAt(url: string, path: string, bearer: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, string>;
  expect(response.status, JSON.stringify(answer)).toBeLessThan(300);
  return answer;
}

async function buyAndPay({ url, dataDir }: RunningSluice, sale: string, buyer: string): Promise<string> {
  const { serverKey = '' } = readKeys(dataDir);
  const { jwt = '' } = await callAt(url, '/dev/identity', '', { buyer });
  const { token = '' } = await callAt(url, `/v1/sales/${sale}/token`, jwt);
  const { orderId = '' } = await callAt(url, `/v1/sales/${sale}/purchases`, jwt, { token, units: 1 });
  await callAt(url, `/v1/orders/${orderId}/payment`, serverKey, { reference: `pay-${orderId}`, outcome: 'paid' });
  return orderId;
}

test(
  'what was paid for is in the mail once, whatever dies on the way, and the order is fulfilled',
  async () => {
    const dataDir = newDataDir();
    const mailDir = join(dirname(dataDir), 'mail');
    const env = { SLUICE_WEBHOOK_NETWORKS: 'any' };
    let sluice = await startSluice({ dataDir, env });
    const here = ['--json', '--data-dir', dataDir];
    const asJson = async (...args: string[]) => {
      const { code, stdout, stderr } = await runSluice([...args, ...here]);
      return code === 0 ? JSON.parse(stdout) : stderr;
    };
    const { serverKey = '' } = readKeys(dataDir);
    // A port of its own, taken before its address can be told.
    const probe = await startReceiver({ WEBHOOK_SECRET: 'whsec_MQ==', SLUICE_SERVER_KEY: 'x', PORT: '0' });
    await probe.end();
    const receiving = { SLUICE_SERVER_KEY: serverKey, MAIL_DIR: mailDir, PORT: probe.port };
    const to = `http://127.0.0.1:${probe.port}/`;
    const { secret } = await asJson('webhook', 'add', 'mail', '--to', to, '--event', 'order.paid');
    await asJson('sale', 'create', 'sword', '--units', '10', '--limit', '5', '--item', 'sword');

    // It puts the first into the mail, cannot tell so, and dies.
    const unlucky = await startReceiver({ ...receiving, WEBHOOK_SECRET: secret, SLUICE_URL: 'http://127.0.0.1:1' });
    const first = await buyAndPay(sluice, 'sword', 'ann');
    await expect.poll(unlucky.said, { timeout: 60_000 }).toContain('failed, and will come again');
    await unlucky.end();

    // Nobody listens to the second; then the engine is killed as well.
    const second = await buyAndPay(sluice, 'sword', 'bob');
    await sluice.end('SIGKILL');
    sluice = await startSluice({ dataDir, env });
    const receiver = await startReceiver({ ...receiving, WEBHOOK_SECRET: secret, SLUICE_URL: sluice.url });
    for (const orderId of [first, second]) {
      const status = async () => (await asJson('order', 'show', orderId)).status;
      await expect.poll(status, { timeout: 200_000, interval: 1_000 }).toBe('fulfilled');
    }
    expect(receiver.said()).toContain(`${first}: mail was sent before to ann`);
    expect(receiver.said()).toContain(`${second}: mail sent to bob`);
    expect(readdirSync(mailDir).sort()).toEqual([`${first}.json`, `${second}.json`].sort());
    const mail = JSON.parse(readFileSync(join(mailDir, `${first}.json`), 'utf8'));
    expect(mail).toEqual({ orderId: first, to: 'ann', items: [{ itemId: 'sword', quantity: 1 }] });
    expect((await asJson('webhook', 'list')).webhooks).toMatchObject([{ id: 'mail', waiting: 0, dead: 0 }]);
    await asJson('webhook', 'rotate', 'mail');
    const again = await runSluice(['webhook', 'rotate', 'mail', '--data-dir', dataDir]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('--drop-old') });

    // Whoever does not know the secret sends no mail.
    const forged = JSON.stringify({ type: 'order.paid', data: { orderId: 'forged', buyer: 'eve', items: [] } });
    const headers = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
    const refused = await fetch(to, {
      ...{ method: 'POST', body: forged, headers: { ...headers, 'webhook-signature': 'v1,bm8=' } },
    });
    expect(refused.status).toBe(401);
    await receiver.end();
    await sluice.end('SIGTERM');
  },
  TEST_TIMEOUT_MS,
);
