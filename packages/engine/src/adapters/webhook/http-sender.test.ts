import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EventMessage } from '../../domain/outbox/outbox-event.ts';
import { isPublic, type Resolver } from './address-guard.ts';
import { createHttpSender, type HttpSender, type HttpSenderOptions } from './http-sender.ts';
import { type Receiver, startReceiver } from './receiver.contract.ts';
import { newWebhookSecret } from './standard-webhooks.ts';

const MESSAGE: EventMessage = {
  ...{ id: 'q0Hk3vZ2T6mJ8sXw.7', type: 'order.paid', atMs: 1_790_000_000_000 },
  data: { orderId: 'q0Hk3vZ2T6mJ8sXw', buyer: '皮肤 🛒' },
};

const TIMEOUT_MS = 1_500;

describe('the sender of webhooks', () => {
  let receiver: Receiver;
  const senders: HttpSender[] = [];
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    receiver.misbehave(null);
    for (const sender of senders.splice(0)) await sender.close();
  });
  afterAll(() => receiver.close());

  function newSender(options: Partial<HttpSenderOptions> = {}): HttpSender {
    const sender = createHttpSender({ networks: 'any', timeoutMs: TIMEOUT_MS, ...options });
    senders.push(sender);
    return sender;
  }

  const send = (url = receiver.url, secrets: readonly string[] = [newWebhookSecret()], sender = newSender()) =>
    sender.send({ url, secrets, message: MESSAGE });

  test('signs such that an independent library verifies it, with each of two secrets', async () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    expect(await send(receiver.url, secrets)).toEqual({ kind: 'delivered', status: 204 });
    const got = receiver.received.at(-1);
    if (!got) throw new Error('nothing came');
    const headers = got.headers as Record<string, string>;
    for (const secret of secrets) expect(new Webhook(secret).verify(got.body, headers)).toEqual(got.json);
    expect(got.json).toEqual({ type: 'order.paid', timestamp: '2026-09-21T14:13:20.000Z', data: MESSAGE.data });
    expect(headers['webhook-id']).toBe(MESSAGE.id);
    expect(headers['content-type']).toBe('application/json');
    // Neither another secret, nor another body, nor another time.
    expect(() => new Webhook(newWebhookSecret()).verify(got.body, headers)).toThrow();
    expect(() => new Webhook(secrets[0] ?? '').verify(got.body.replace('paid', 'Paid'), headers)).toThrow();
    const older = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) };
    expect(() => new Webhook(secrets[0] ?? '').verify(got.body, older)).toThrow();
  });

  test('tells a refusal from a delivery, with what the receiver said', async () => {
    receiver.misbehave((response) => response.writeHead(500).end('no \u001b[31m room\n\nhere'));
    expect(await send()).toEqual({
      ...{ kind: 'refused', status: 500, error: 'HTTP 500: no [31m room here', isFinal: false, retryAfterMs: 0 },
    });
    receiver.misbehave((response) => response.writeHead(503, { 'retry-after': '7' }).end());
    expect(await send()).toMatchObject({ kind: 'refused', status: 503, retryAfterMs: 7_000 });
    receiver.misbehave((response) => response.writeHead(410).end());
    expect(await send()).toMatchObject({ kind: 'refused', isFinal: true });
  });

  test('heeds a Retry-After that is a date, and none that is neither', async () => {
    const askedMs = async (value: string) => {
      receiver.misbehave((response) => response.writeHead(503, { 'retry-after': value }).end());
      const answer = await send();
      return answer.kind === 'refused' ? answer.retryAfterMs : null;
    };
    const inAnHour = await askedMs(new Date(Date.now() + 3_600_000).toUTCString());
    expect(inAnHour).toBeGreaterThan(3_500_000);
    expect(inAnHour).toBeLessThanOrEqual(3_600_000);
    expect(await askedMs('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(0);
    expect(await askedMs('soon')).toBe(0);
    expect(await askedMs('-7')).toBe(0);
  });

  test('follows no redirect', async () => {
    const before = receiver.received.length;
    receiver.misbehave((response) => response.writeHead(302, { location: receiver.url }).end());
    expect(await send()).toMatchObject({ kind: 'refused', status: 302, error: expect.stringContaining('redirects') });
    expect(receiver.received.length).toBe(before + 1);
  });

  test('waits no longer for an answer than it says, nor for the rest of one', async () => {
    receiver.misbehave(() => {});
    const startedMs = performance.now();
    expect(await send()).toEqual({ kind: 'unanswered', error: `No answer within ${TIMEOUT_MS} ms.` });
    receiver.misbehave((response) => response.writeHead(200).write('and so on'));
    expect(await send()).toEqual({ kind: 'delivered', status: 200 });
    expect(performance.now() - startedMs).toBeLessThan(10 * TIMEOUT_MS);
  });

  test('reads no more of an answer than it says', async () => {
    let written = 0;
    receiver.misbehave((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await send()).toEqual({ kind: 'delivered', status: 200 });
    expect(written).toBeLessThan(64 * 1_048_576);
  });

  test('says when nobody answers', async () => {
    receiver.misbehave((response) => response.destroy());
    expect(await send()).toMatchObject({ kind: 'unanswered' });
    expect(await send('http://127.0.0.1:1/')).toMatchObject({ kind: 'unanswered' });
    expect(await send('http://nowhere.invalid/')).toMatchObject({ kind: 'unanswered' });
  });

  describe('to public networks only', () => {
    const publicSender = (resolve?: Resolver) => newSender({ networks: 'public', ...(resolve && { resolve }) });

    test.each([
      'https://127.0.0.1/',
      'https://127.1/',
      'https://0/',
      'https://0x7f.1/',
      'https://017700000001/',
      'https://2130706433/',
      'https://10.1.2.3/',
      'https://172.31.0.1/',
      'https://192.168.0.1/',
      'https://169.254.169.254/latest/meta-data/',
      'https://100.64.0.1/',
      'https://[::1]/',
      'https://[::]/',
      'https://[::ffff:7f00:1]/',
      'https://[::ffff:169.254.169.254]/',
      'https://[64:ff9b::7f00:1]/',
      'https://[2002:7f00:1::]/',
      'https://[fe80::1]/',
      'https://[fc00::1]/',
      'https://[fec0::1]/',
      'https://[ff02::1]/',
      'https://224.0.0.1/',
      'https://255.255.255.255/',
      'https://localhost/',
      'https://LOCALHOST./',
      'https://shop.localhost:8443/',
      'https://user:password@example.com/',
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'no url',
    ])('refuses %s, when it is added and when it is sent to', async (url) => {
      const sender = publicSender();
      expect(sender.mistakeIn(url)).not.toBeNull();
      expect((await send(url, ['whsec_MQ=='], sender)).kind).toBe('forbidden');
    });

    test('takes public addresses and names', () => {
      for (const url of ['https://example.com/hook?a=b', 'https://8.8.8.8/', 'https://[2606:4700::1]:8443/']) {
        expect(publicSender().mistakeIn(url)).toBeNull();
      }
      expect(['8.8.8.8', '2606:4700::1', '172.32.0.1'].map(isPublic)).toEqual([true, true, true]);
    });

    test.each([
      [['127.0.0.1']],
      [['8.8.8.8', '10.0.0.1']],
      [['::1']],
      [['::ffff:127.0.0.1']],
      [['2606:4700::1', 'fe80::1']],
      [[]],
    ])('refuses a name that is at %j', async (addresses) => {
      const resolve: Resolver = async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const before = receiver.received.length;
      const url = `https://receiver.test:${receiver.port}/`;
      expect((await send(url, ['whsec_MQ=='], publicSender(resolve))).kind).toBe('forbidden');
      expect(receiver.received.length).toBe(before);
    });

    test('connects to the address that was judged, whatever the name says the next moment', async () => {
      const answers = ['192.0.2.1', '127.0.0.1'];
      let lookUps = 0;
      const resolve: Resolver = async () => {
        const address = answers[Math.min(lookUps, 1)] ?? '';
        lookUps += 1;
        // The first is public by this test's word; nothing answers there.
        return [{ address: address === '192.0.2.1' ? '8.8.8.8' : address, family: 4 }];
      };
      const sender = publicSender(resolve);
      const url = `https://receiver.test:${receiver.port}/`;
      const before = receiver.received.length;
      // Judged public, and not looked up again for the connection.
      expect((await send(url, ['whsec_MQ=='], sender)).kind).toBe('unanswered');
      expect(lookUps).toBe(1);
      expect((await send(url, ['whsec_MQ=='], sender)).kind).toBe('forbidden');
      expect(receiver.received.length).toBe(before);
    });
  });
});
