import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, type HttpWorld, jwtFor, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;
let token: string;

beforeAll(async () => {
  world = await newHttpWorld();
  await world.openSale('guarded', { totalUnits: 1_000, limitUnits: 1_000 });
  await world.openSale('other');
  token = await world.tokenFor('guarded', 'ann');
});
afterAll(() => world.close());

async function heldUnits(): Promise<number> {
  return (await world.call('GET', '/v1/admin/sales/guarded/places', { admin: true })).json.held;
}

describe('callers that nobody knows', () => {
  const genuine = jwtFor('ann');
  const [head = '', body = ''] = genuine.split('.');
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: 'ann', exp: Math.floor(Date.now() / 1_000) + 3_600 };
  const hs512 = `${encode({ alg: 'HS512' })}.${encode(claims)}`;

  it.each<[string, string]>([
    ['no credential', ''],
    ['no scheme', genuine],
    ['another scheme', `Basic ${genuine}`],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['two spaces', `Bearer  ${genuine}`],
    ['alg none', `Bearer ${encode({ alg: 'none' })}.${encode(claims)}.`],
    ['alg none with a signature', `Bearer ${encode({ alg: 'none' })}.${encode(claims)}.${genuine.split('.')[2]}`],
    ['another algorithm', `Bearer ${hs512}.${createHmac('sha512', 'x').update(hs512).digest('base64url')}`],
    ['RS256 in the head', `Bearer ${encode({ alg: 'RS256' })}.${body}.${genuine.split('.')[2]}`],
    ['an empty signature', `Bearer ${head}.${body}.`],
    ['a trimmed signature', `Bearer ${genuine.slice(0, -1)}`],
    ['expired', `Bearer ${jwtFor('ann', { exp: 1 })}`],
    ['not yet', `Bearer ${jwtFor('ann', { nbf: claims.exp })}`],
    ['another secret', `Bearer ${jwtFor('ann', {}, 'another-secret-of-at-least-32-bytes')}`],
    ['the admin key', `Bearer ${ADMIN_KEY}`],
    ['a purchase token', 'token'],
  ])('are 401 everywhere: %s', async (name, authorization) => {
    const credential = name === 'a purchase token' ? `Bearer ${token}` : authorization;
    const headers: Record<string, string> = credential === '' ? {} : { authorization: credential };
    const answers = [
      await world.call('POST', '/v1/sales/guarded/token', { headers }),
      await world.call('POST', '/v1/sales/guarded/purchases', { headers, body: { token, units: 1 } }),
      await world.call('GET', '/v1/orders/AAAAAAAAAAAAAAAAAAAAAA', { headers }),
    ];
    expect(answers.map((answer) => answer.json.reason)).toEqual(answers.map(() => 'unauthenticated'));
    expect(await heldUnits()).toBe(0);
  });

  it('are known by a scheme in any letters', async () => {
    const headers = { authorization: `bEaReR ${genuine}` };
    expect((await world.call('POST', '/v1/sales/guarded/token', { headers })).status).toBe(200);
  });
});

describe('purchase tokens that are not right', () => {
  it('are 401 at every length, whatever they are made of', async () => {
    for (let length = 0; length <= 64; length++) {
      for (const wrong of [token.slice(0, length), 'A'.repeat(length), '.'.repeat(length)]) {
        const answer = await world.buy('guarded', 'ann', wrong);
        expect([answer.status, answer.json.reason], wrong).toEqual([401, 'token_invalid']);
      }
    }
    expect(await heldUnits()).toBe(0);
  });

  it('are 401 with any bit turned', async () => {
    const bytes = Buffer.from(token);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7));
      const answer = await world.buy('guarded', 'ann', changed.toString('latin1'));
      expect([answer.status, answer.json.reason], String(at)).toEqual([401, 'token_invalid']);
    }
    expect(await heldUnits()).toBe(0);
  });

  it('are 401 when put together from two, and when signed for something else', async () => {
    const [id, body, mac] = token.split('.');
    const [, otherBody, otherMac] = (await world.tokenFor('guarded', 'bob')).split('.');
    const receipt = world.signer.sign('receipt', [
      'AAAAAAAAAAAAAAAAAAAAAA',
      'guarded',
      'ann',
      'home',
      'main',
      '0',
      '9e15',
    ]);
    const wrong = [
      `${id}.${otherBody}.${mac}`,
      `${id}.${body}.${otherMac}`,
      `${id}.${body}.${mac}.`,
      `${token}=`,
      receipt,
    ];
    for (const each of wrong) expect((await world.buy('guarded', 'ann', each)).json.reason).toBe('token_invalid');
    expect(await heldUnits()).toBe(0);
  });

  it('are 403 for another buyer and for another sale', async () => {
    expect((await world.buy('guarded', 'bob', token)).json.reason).toBe('token_foreign');
    expect((await world.buy('other', 'ann', token)).json.reason).toBe('token_foreign');
    expect((await world.buy('never-was', 'ann', token)).json.reason).toBe('token_foreign');
    expect(await heldUnits()).toBe(0);
  });

  it('are no way in for a caller whose name only begins alike', async () => {
    const wide = await world.tokenFor('guarded', 'annab');
    expect((await world.buy('guarded', 'anna', wide)).json.reason).toBe('token_foreign');
    expect((await world.buy('guarded', 'ANN', token)).json.reason).toBe('token_foreign');
  });
});

describe('orders of others', () => {
  it('are as absent as orders that never were, for every buyer but their own', async () => {
    const buyers = ['ann', 'bob', 'cat'];
    const orders = new Map<string, string>();
    for (const buyer of buyers) {
      const answer = await world.buy('guarded', buyer, await world.tokenFor('guarded', buyer));
      orders.set(buyer, answer.json.orderId);
    }
    const absent = await world.call('GET', '/v1/orders/AAAAAAAAAAAAAAAAAAAAAA', { as: 'ann' });
    expect(absent.status).toBe(404);
    for (const caller of buyers) {
      for (const [owner, orderId] of orders) {
        const answer = await world.call('GET', `/v1/orders/${orderId}`, { as: caller });
        if (caller === owner) expect(answer.json).toMatchObject({ orderId, status: 'pending' });
        else expect(answer.text).toBe(absent.text.replace('AAAAAAAAAAAAAAAAAAAAAA', orderId));
      }
    }
  });

  it.each([
    'x',
    'A'.repeat(21),
    'A'.repeat(23),
    `${'A'.repeat(21)}.`,
    '%00'.repeat(22),
    '..%2f..%2fadmin',
    'A'.repeat(500),
  ])('cannot be asked for by an id of another shape: %s', async (orderId) => {
    expect((await world.call('GET', `/v1/orders/${orderId}`, { as: 'ann' })).json.reason).toBe('not_found');
  });

  it.each([
    '',
    'Guarded',
    'guarded%20',
    '-guarded',
    'a'.repeat(65),
    '%E5%B8%82',
    '__proto__',
    'constructor',
    'guarded%00',
    "a'--",
  ])('and a sale neither: %s', async (saleId) => {
    const answers = [
      await world.call('GET', `/v1/sales/${saleId}`),
      await world.call('POST', `/v1/sales/${saleId}/token`, { as: 'ann' }),
      await world.call('GET', `/v1/admin/sales/${saleId}/places`, { admin: true }),
    ];
    expect(answers.map((answer) => answer.json.reason)).toEqual(answers.map(() => 'not_found'));
  });
});

describe('ids that cannot be', () => {
  it('are asked of nobody', async () => {
    const asked: string[] = [];
    const ask = async (id: string) => {
      asked.push(id);
      return null;
    };
    const curious = await newHttpWorld({ stub: { findOrder: ask, findSale: ask, showSale: ask } });
    for (const id of ['x', '%00', "';--", '..%2f', 'A'.repeat(23), 'a'.repeat(65)]) {
      expect((await curious.call('GET', `/v1/orders/${id}`, { as: 'ann' })).status).toBe(404);
      expect((await curious.call('GET', `/v1/sales/-${id}`)).status).toBe(404);
      expect((await curious.call('GET', `/v1/admin/sales/-${id}`, { admin: true })).status).toBe(404);
    }
    expect(asked).toEqual([]);
    expect((await curious.call('GET', '/v1/sales/known-shape')).status).toBe(404);
    expect(asked).toEqual(['known-shape']);
    await curious.close();
  });
});

describe('logs', () => {
  it('name orders and never a credential', async () => {
    await world.call('GET', `/v1/sales/guarded?token=${token}`);
    const ofDan = await world.tokenFor('guarded', 'dan');
    const sold = await world.buy('guarded', 'dan', ofDan);
    await world.call('POST', '/v1/sales/guarded/purchases', { as: 'ann', body: `{"token":"${token}"` });
    const log = world.logged.join('');
    expect(log).toContain(sold.json.orderId);
    for (const each of [token, ofDan]) expect(log).not.toContain(each.slice(0, 40));
    expect(log).not.toContain(sold.json.receipt);
    expect(log).not.toContain(ADMIN_KEY);
    expect(log).not.toMatch(/eyJ[\w-]{10}/);
  });
});
