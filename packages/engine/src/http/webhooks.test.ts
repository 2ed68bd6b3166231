import { ORDER_EVENT_MESSAGE, SALE_EVENT_MESSAGE } from '@sluice/contract';
import { Webhook } from 'standardwebhooks';
import Value from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../adapters/webhook/receiver.contract.ts';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

const WEBHOOKS = '/v1/admin/webhooks';

describe('webhooks', () => {
  let world: HttpWorld;
  let receiver: Receiver;
  beforeAll(async () => {
    world = await newHttpWorld();
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await world.close();
    await receiver.close();
  });

  const asAdmin = (method: string, path: string, body?: unknown) =>
    world.call(method, path, { admin: true, ...(body !== undefined && { body }) });
  const add = (id: string, more: object = {}) => asAdmin('POST', WEBHOOKS, { id, url: receiver.url, ...more });

  it('are for operators only', async () => {
    for (const [method, path] of [
      ['GET', WEBHOOKS],
      ['POST', WEBHOOKS],
      ['DELETE', `${WEBHOOKS}/mail`],
      ['POST', `${WEBHOOKS}/mail/rotate-secret`],
      ['POST', `${WEBHOOKS}/mail/test`],
      ['GET', `${WEBHOOKS}/mail/dead-letters`],
      ['POST', `${WEBHOOKS}/mail/replay`],
    ] as const) {
      expect((await world.call(method, path, { server: true })).json.reason, `${method} ${path}`).toBe(
        'unauthenticated',
      );
      if (path !== WEBHOOKS) expect((await asAdmin(method, path)).json.reason, `${method} ${path}`).toBe('not_found');
    }
  });

  it('tell a secret when it is made, and never again', async () => {
    const added = await add('secretive', { events: ['order.paid'] });
    expect([added.status, added.json.events]).toEqual([201, ['order.paid']]);
    expect(added.json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const again = await add('secretive');
    expect([again.status, again.json.reason]).toEqual([409, 'exists']);
    const rotated = await asAdmin('POST', `${WEBHOOKS}/secretive/rotate-secret`);
    expect(rotated.json.secret).not.toBe(added.json.secret);
    expect(rotated.json.oldSecretUntilMs).toBeGreaterThan(Date.now());
    expect((await asAdmin('POST', `${WEBHOOKS}/secretive/rotate-secret`)).json.reason).toBe('wrong_state');
    const dropped = await asAdmin('POST', `${WEBHOOKS}/secretive/rotate-secret`, { dropOld: true });
    expect(dropped.json.oldSecretUntilMs).toBeNull();
    const list = await asAdmin('GET', WEBHOOKS);
    expect(list.json.webhooks).toMatchObject([{ id: 'secretive', url: receiver.url, waiting: 0, dead: 0 }]);
    const logged = world.logged.join('');
    for (const { secret } of [added.json, rotated.json, dropped.json]) {
      expect(list.text).not.toContain(secret);
      expect(logged).not.toContain(secret);
    }
    expect((await asAdmin('DELETE', `${WEBHOOKS}/secretive`)).json).toEqual({ id: 'secretive' });
  });

  it.each(['ftp://example.com/', 'http://user:pass@example.com/', 'https://a b/', '', 'x'.repeat(3_000)])(
    'are not taken with the address %s',
    async (url) => {
      const answer = await asAdmin('POST', WEBHOOKS, { id: 'wrong', url });
      expect([answer.status, answer.json.reason]).toEqual([400, 'bad_request']);
    },
  );

  it('are not taken for an event that does not exist', async () => {
    expect((await add('wrong', { events: ['order.exploded'] })).status).toBe(400);
    expect((await add('wrong', { events: [] })).status).toBe(400);
  });

  it('are tried out', async () => {
    const { secret } = (await add('tried')).json;
    expect((await asAdmin('POST', `${WEBHOOKS}/tried/test`)).json).toEqual({
      delivered: true,
      status: 204,
      error: null,
    });
    const { body, headers } = receiver.received.at(-1) ?? { body: '', headers: {} };
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'webhook.test' });
    receiver.misbehave((response) => response.writeHead(500).end());
    const answer = await asAdmin('POST', `${WEBHOOKS}/tried/test`);
    expect(answer.json).toEqual({ delivered: false, status: 500, error: 'HTTP 500' });
    receiver.misbehave(null);
    await asAdmin('DELETE', `${WEBHOOKS}/tried`);
  });

  it('tell of a purchase from its settlement to its delivery, in the words of the contract', async () => {
    const { secret } = (await add('story')).json;
    await world.openSale('story', { totalUnits: 1, items: [{ itemId: 'sword', quantity: 2 }] });
    const bought = await world.buy('story', 'ann', await world.tokenFor('story', 'ann'));
    const { orderId } = bought.json;
    const fulfil = () => world.call('POST', `/v1/orders/${orderId}/fulfilment`, { server: true });
    expect((await fulfil()).json.reason).toBe('wrong_state');
    await world.call('POST', `/v1/orders/${orderId}/payment`, {
      ...{ server: true, body: { reference: 'pay-1', outcome: 'paid', amount: 4_900 } },
    });
    expect((await fulfil()).json).toEqual({ orderId, status: 'fulfilled', repeated: false });
    expect((await fulfil()).json).toEqual({ orderId, status: 'fulfilled', repeated: true });
    const unknown = await world.call('POST', `/v1/orders/${'x'.repeat(22)}/fulfilment`, { server: true });
    expect(unknown.json.reason).toBe('not_found');
    const types = () =>
      receiver.received.filter(({ json }) => json.data.saleId === 'story').map(({ json }) => json.type);
    await expect
      .poll(() => [...types()].sort(), { timeout: 10_000 })
      .toEqual(['order.fulfilled', 'order.paid', 'order.settled', 'sale.published', 'sale.sold_out'].sort());
    expect(types().filter((type) => type.startsWith('order.'))).toEqual([
      ...['order.settled', 'order.paid', 'order.fulfilled'],
    ]);
    for (const { json, body, headers } of receiver.received.filter((each) => each.json.data.saleId === 'story')) {
      const schema = json.type.startsWith('order.') ? ORDER_EVENT_MESSAGE : SALE_EVENT_MESSAGE;
      expect([...Value.Errors(schema, json)]).toEqual([]);
      new Webhook(secret).verify(body, headers as Record<string, string>);
    }
    const paid = receiver.received.find(({ json }) => json.type === 'order.paid');
    expect(paid?.json.data).toMatchObject({ orderId, buyer: 'ann', items: [{ itemId: 'sword', quantity: 2 }] });
    expect(paid?.json.data).toMatchObject({ reference: 'pay-1', amount: 4_900 });
    const settled = receiver.received.find(({ json }) => json.type === 'order.settled');
    expect(settled?.json.data).toMatchObject({ reference: null, amount: null });
    await asAdmin('DELETE', `${WEBHOOKS}/story`);
  });

  it('list what was given up, and send it again', async () => {
    await add('dead', { events: ['sale.published'] });
    receiver.misbehave((response) => response.writeHead(410).end());
    await world.openSale('forgotten');
    const dead = async () => (await asAdmin('GET', `${WEBHOOKS}/dead/dead-letters`)).json.deadLetters;
    await expect
      .poll(dead, { timeout: 10_000 })
      .toMatchObject([{ type: 'sale.published', subject: 'forgotten', error: 'HTTP 410', failures: 1 }]);
    const [{ id, eventId }] = await dead();
    receiver.misbehave(null);
    expect((await asAdmin('POST', `${WEBHOOKS}/dead/replay`, { delivery: id + 1 })).json.reason).toBe('not_found');
    expect((await asAdmin('POST', `${WEBHOOKS}/dead/replay`, { delivery: id })).json).toEqual({ replayed: 1 });
    await expect.poll(() => receiver.received.at(-1)?.headers['webhook-id'], { timeout: 10_000 }).toBe(eventId);
    expect((await asAdmin('POST', `${WEBHOOKS}/dead/replay`)).json).toEqual({ replayed: 0 });
    await asAdmin('DELETE', `${WEBHOOKS}/dead`);
  });
});
