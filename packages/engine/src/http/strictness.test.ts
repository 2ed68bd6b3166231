import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';
import { createHttpServer } from './server.ts';

let world: HttpWorld;
let token: string;

beforeAll(async () => {
  world = await newHttpWorld({ devIdentity: () => 'jwt' });
  await world.openSale('strict', { totalUnits: 100, limitUnits: 100 });
  token = await world.tokenFor('strict', 'ann');
});
afterAll(() => world.close());

async function expectRefused(body: unknown, headers: Record<string, string> = {}) {
  const answer = await world.call('POST', '/v1/sales/strict/purchases', { as: 'ann', body, headers });
  expect([answer.status, answer.json.reason], answer.text).toEqual([400, 'bad_request']);
  expect((await world.call('GET', '/v1/admin/sales/strict/places', { admin: true })).json.held).toBe(0);
  return answer;
}

describe('the body of a purchase', () => {
  it.each(['"1"', '1.5', '0', '-1', '-0', '1e21', '9007199254740992', '1e400', 'true', 'null', '[1]', '{"n":1}', '""'])(
    'is not bent into shape: units %s',
    async (units) => {
      await expectRefused(`{"token":${JSON.stringify(token)},"units":${units}}`);
    },
  );

  it.each(['1', 'null', 'true', '["x"]', '{"0":"x"}', '[]'])('is not bent into shape: token %s', async (wrong) => {
    await expectRefused(`{"token":${wrong},"units":1}`);
  });

  it.each(['', '{}', 'null', '[]', '"text"', '1', '[{"units":1}]', '{"units":1}', '{', '{"units":1,}', "{'units':1}"])(
    'is an object with both fields: %s',
    async (body) => {
      const answer = await expectRefused(body);
      expect(answer.json.detail).not.toBe('');
    },
  );

  it.each([
    'price',
    'user',
    'buyerId',
    'total',
    'state',
    'orderId',
    'channel',
    'Units',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])('has no field %s', async (name) => {
    const answer = await expectRefused({ token, units: 1, [name]: 1 });
    if (name !== 'constructor') expect(answer.json.detail).toBe(`There is no field "${name}".`);
  });

  it.each([
    '{"__proto__":{"units":1},"token":"x"}',
    '{"token":"x","units":1,"__proto__":{}}',
    '{"token":"x","units":1,"\\u005f_proto__":{"admin":true}}',
    '{"token":"x","units":1,"constructor":{"prototype":{"admin":true}}}',
    '{"token":{"__proto__":{"length":1}},"units":1}',
    '{"a":{"b":{"__proto__":1}}}',
  ])('poisons no prototype: %s', async (body) => {
    await expectRefused(body);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('is JSON, whatever else it says it is', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/xml',
      'json',
      ';',
    ]) {
      const headers = { 'content-type': type };
      const answer = await world.call('POST', '/v1/sales/strict/purchases', {
        as: 'ann',
        body: { token, units: 1 },
        headers,
      });
      expect([answer.status, answer.json.reason], type).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('may name its charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const body = { token, units: 1 };
    const answer = await world.call('POST', '/v1/sales/strict/purchases', { as: 'bob', body, headers });
    expect(answer.json.reason).toBe('token_foreign');
  });

  it.each([
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'identity, br' },
    { 'content-encoding': '' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'application/json;charset="ISO-8859-1"' },
    { 'content-type': 'application/json; charset=utf-8; charset=utf-16' },
  ])('is not read as plain UTF-8 when it says that it is not: %o', async (headers) => {
    const body = { token, units: 1 };
    const answer = await world.call('POST', '/v1/sales/strict/purchases', { as: 'ann', body, headers });
    expect([answer.status, answer.json.reason]).toEqual([415, 'unsupported_media_type']);
    expect(answer.headers.get('accept-encoding')).toBe('identity');
    const sales = await world.call('POST', '/v1/admin/sales', { admin: true, body: world.draftOf('packed'), headers });
    expect(sales.json.reason).toBe('unsupported_media_type');
  });

  it('is told to be packed to nobody who may not send one', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const answer = await world.call('POST', '/v1/sales/strict/purchases', { body: { token, units: 1 }, headers });
    expect(answer.json.reason).toBe('unauthenticated');
  });

  it.each([
    { 'content-encoding': 'identity' },
    { 'content-encoding': 'Identity, identity' },
    { 'content-type': 'application/json;charset=UTF8' },
    { 'content-type': 'application/json; Charset="UTF-8"' },
  ])('may say that it is plain UTF-8: %o', async (headers) => {
    const body = { token, units: 1 };
    const answer = await world.call('POST', '/v1/sales/strict/purchases', { as: 'bob', body, headers });
    expect(answer.json.reason).toBe('token_foreign');
  });

  it('is at most 4 KiB', async () => {
    const spare = 4_096 - JSON.stringify({ token: '', units: 1 }).length;
    const fits = await world.buy('strict', 'ann', 'x'.repeat(spare));
    expect(fits.json.reason).toBe('token_invalid');
    const tooLong = await world.buy('strict', 'ann', 'x'.repeat(spare + 1));
    expect(tooLong.json.reason).toBe('payload_too_large');
  });

  it('lets the longest buyer there is buy', async () => {
    const buyer = '界'.repeat(512);
    const answer = await world.buy('strict', buyer, await world.tokenFor('strict', buyer));
    expect(answer.status).toBe(202);
  });
});

describe('requests without a body', () => {
  it('need none, and take an empty one', async () => {
    for (const body of [undefined, '{}', 'null']) {
      const answer = await world.call('POST', '/v1/sales/strict/token', { as: 'ann', ...(body && { body }) });
      expect(answer.status, answer.text).toBe(200);
    }
  });

  it('do not mind how a body would be packed that they have not', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const answer = await world.call('POST', '/v1/sales/strict/token', { as: 'ann', headers });
    expect(answer.status, answer.text).toBe(200);
  });

  it.each(['{"units":1}', '[]', '"x"', '0'])('take no content that they would not look at: %s', async (body) => {
    const answer = await world.call('POST', '/v1/sales/strict/token', { as: 'ann', body });
    expect(answer.json.reason).toBe('bad_request');
  });
});

describe('paths and methods that are not there', () => {
  it.each([
    ['GET', '/v1/sales/strict/purchases', 'POST, OPTIONS'],
    ['PUT', '/v1/sales/strict', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/orders/AAAAAAAAAAAAAAAAAAAAAA', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/v1/sales', 'GET, HEAD, OPTIONS'],
    ['POST', '/livez', 'GET, HEAD, OPTIONS'],
    ['GET', '/dev/identity', 'POST, OPTIONS'],
  ])('%s %s is 405 and says what is', async (method, path, allow) => {
    const answer = await world.call(method, `${path}?a=1`);
    expect([answer.status, answer.json.reason]).toEqual([405, 'method_not_allowed']);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('tells operators, and nobody else, what operators can do', async () => {
    const answer = await world.call('PATCH', '/v1/admin/sales', { admin: true });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
    expect((await world.call('OPTIONS', '/v1/admin/sales')).status).toBe(401);
  });

  it('answers OPTIONS with the methods, and no leave for other origins', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await world.call('OPTIONS', '/v1/sales/strict/purchases', { headers });
    expect([answer.status, answer.headers.get('allow'), answer.text]).toEqual([204, 'POST, OPTIONS', '']);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('answers HEAD as GET without the content', async () => {
    const [head, get] = [await world.call('HEAD', '/v1/sales/strict'), await world.call('GET', '/v1/sales/strict')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect((await world.call('HEAD', '/v1/nowhere')).status).toBe(404);
  });

  it.each(['/', '/v1', '/v1/', '/v1/sales/', '/V1/sales', '/v1/../v1/none', '/v1/%2e%2e', '/favicon.ico'])(
    '%s is 404',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
        const answer = await world.call(method, path, { ...(method === 'POST' && { body: '{' }) });
        expect([answer.status, answer.json.reason], method).toEqual([404, 'not_found']);
      }
    },
  );

  it.each(['/%', '/v1/sales/%zz', '/%c0%ae'])('%s is a bad request', async (path) => {
    expect((await world.call('GET', path)).json.reason).toBe('bad_request');
  });
});

describe('languages', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['en', 'en'],
    ['zh', 'zh'],
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['en-US,en;q=0.9,zh;q=0.8', 'en'],
    ['fr, zh-Hant;q=0.5', 'zh'],
    ['fr, en;q=0.4, zh-Hans;q=0.5', 'zh'],
    ['zh;q=0', 'en'],
    ['zh;q=x', 'en'],
    ['ZH-cn', 'zh'],
    ['zhuang', 'en'],
    ['*;q=0.5, zh;q=0.1', 'zh'],
    [`${'zh,'.repeat(500)}`, 'zh'],
  ])('of %s is %s', async (accepted, language) => {
    const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-language': accepted };
    const answer = await world.call('GET', '/v1/nowhere', { headers });
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.json.title).toBe(language === 'zh' ? '未找到。' : 'There is no such thing.');
  });

  it.each([
    ['/v1/sales/none', 'en', 'There is no sale "none".'],
    ['/v1/sales/none', 'zh', '没有活动“none”。'],
    ['/v1/orders/none', 'en', 'There is no order "none".'],
  ])('tells that %s is not there, in %s', async (path, language, detail) => {
    const answer = await world.call('GET', path, { as: 'ann', headers: { 'accept-language': language } });
    expect(answer.json).toMatchObject({ reason: 'not_found', detail });
  });
});

describe('the bytes of a problem', () => {
  it('are ASCII, so that their number is the length that was told', async () => {
    const headers = { 'accept-language': 'zh' };
    const answers = [
      await world.call('GET', '/v1/nowhere', { headers }),
      await world.call('POST', '/v1/sales/strict/purchases', {
        as: 'ann',
        headers,
        body: { token, units: 1, '界😀': 1 },
      }),
    ];
    for (const answer of answers) {
      expect(answer.text).toMatch(/^[ -~]+$/);
      expect(answer.headers.get('content-length')).toBe(String(answer.text.length));
    }
    expect(answers[1]?.json.detail).toBe('There is no field "界😀".');
  });
});

describe('who is behind a proxy', () => {
  const forged = Array.from({ length: 20 }, (_, index) => `10.0.0.${index}`).join(', ');

  it.each<[string, readonly string[], string]>([
    ['nobody trusted', [], '127.0.0.1'],
    ['another proxy trusted', ['192.0.2.0/24'], '127.0.0.1'],
    ['loopback trusted', ['127.0.0.0/8'], '10.0.0.19'],
    ['loopback and the last hop trusted', ['127.0.0.1', '10.0.0.19'], '10.0.0.18'],
  ])('%s: the right-most address that is not trusted', async (_name, trustedProxies, expected) => {
    const addresses: string[] = [];
    const app = createHttpServer({
      ...{
        engine: world.engine,
        clock: world.clock,
        adminKey: 'x',
        serverKey: 'y',
        isReady: () => true,
        logger: false,
        trustedProxies,
      },
      identity: { identify: () => null },
    });
    app.addHook('onRequest', (request, _reply, next) => {
      addresses.push(request.ip);
      next();
    });
    await app.inject({
      method: 'GET',
      url: '/livez',
      remoteAddress: '127.0.0.1',
      headers: { 'x-forwarded-for': forged },
    });
    expect(addresses).toEqual([expected]);
    await app.close();
  });
});
