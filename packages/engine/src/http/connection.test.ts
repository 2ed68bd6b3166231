import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Refusal } from '../domain/refusal.ts';
import type { PurchaseAccepted } from '../funnel/purchase.ts';
import { type HttpWorld, jwtFor, newHttpWorld } from './http-world.contract.ts';

let world: HttpWorld;

beforeAll(async () => {
  world = await newHttpWorld();
  await world.openSale('wire');
});
afterAll(() => world.close());

interface Conversation {
  /** In order of arrival. */
  readonly statuses: readonly number[];
  readonly text: string;
  readonly isClosed: boolean;
}

/** Sends bytes as they are, one piece after the other, and listens until it is quiet or the other side has closed. */
function talk(pieces: readonly string[], quietMs = 400, port = world.port): Promise<Conversation> {
  return new Promise((resolve) => {
    let text = '';
    let isClosed = false;
    const socket = connect(port, '127.0.0.1');
    const finish = () => {
      socket.destroy();
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
      resolve({ statuses, text, isClosed });
    };
    let quiet = setTimeout(finish, quietMs);
    const wait = () => {
      clearTimeout(quiet);
      quiet = setTimeout(finish, quietMs);
    };
    socket.on('data', (chunk) => {
      text += chunk;
      wait();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
      clearTimeout(quiet);
      finish();
    });
    void (async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        wait();
        await new Promise((next) => setTimeout(next, 40));
      }
    })();
  });
}

const PATH = '/v1/sales/wire/purchases';
const AS_ANN = `Authorization: Bearer ${jwtFor('ann')}\r\n`;
const post = (headers: string, body = '') =>
  `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
const sized = (headers: string, body: string) => post(`${headers}Content-Length: ${body.length}\r\n`, body);
const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
const BODY = '{"token":"x","units":1}';

describe('a kept connection', () => {
  it('goes on after a refusal, whether the body was read or not', async () => {
    const refusals = [sized('', BODY), sized(AS_ANN, BODY), sized(AS_ANN, '{'), sized(AS_ANN, '{"units":"1"}')];
    const { statuses, isClosed } = await talk([...refusals, LIVEZ]);
    expect([statuses, isClosed]).toEqual([[401, 401, 400, 400, 200], false]);
  });

  it('keeps requests apart that came in one piece', async () => {
    const { statuses } = await talk([sized('', BODY) + sized(AS_ANN, BODY) + LIVEZ + sized('', BODY) + LIVEZ]);
    expect(statuses).toEqual([401, 401, 200, 401, 200]);
  });

  it('does not take an unread body for the next request', async () => {
    const { statuses } = await talk([sized('', LIVEZ), LIVEZ]);
    expect(statuses).toEqual([401, 200]);
  });

  it('waits for the rest of a body that comes late', async () => {
    const { statuses } = await talk([post(`Content-Length: ${BODY.length}\r\n`), BODY, LIVEZ]);
    expect(statuses).toEqual([401, 200]);
  });

  it('ends behind a refused body that could be of any length', async () => {
    const chunked = post('Transfer-Encoding: chunked\r\n', '5\r\n{"to"\r\n');
    expect(await talk([chunked, LIVEZ])).toMatchObject({ statuses: [401], isClosed: true });
    const long = post('Content-Length: 1000000\r\n', 'x'.repeat(1_000));
    expect(await talk([long])).toMatchObject({ statuses: [401], isClosed: true });
  });

  it('ends behind a body that is too long, however it comes', async () => {
    const declared = post(`${AS_ANN}Content-Length: 5000\r\n`, 'x'.repeat(100));
    expect(await talk([declared])).toMatchObject({ statuses: [413], isClosed: true });
    const chunk = `800\r\n${'x'.repeat(0x8_00)}\r\n`;
    const chunked = post(`${AS_ANN}Transfer-Encoding: chunked\r\n`, chunk);
    expect(await talk([chunked, chunk, chunk, chunk])).toMatchObject({ statuses: [413], isClosed: true });
  });

  it('goes on after a chunked body that was read to its end', async () => {
    const chunked = post(`${AS_ANN}Transfer-Encoding: chunked\r\n`, `17\r\n${BODY}\r\n0\r\n\r\n`);
    expect(await talk([chunked, LIVEZ])).toMatchObject({ statuses: [401, 200], isClosed: false });
  });
});

describe('what is hardly a request', () => {
  it.each<[string, string, number]>([
    ['noise', 'hello\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n', 400],
    ['two lengths', post('Content-Length: 3\r\nContent-Length: 4\r\n', 'abcd'), 400],
    ['length and chunks', post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400],
    ['a bad length', post('Content-Length: 3x\r\n', 'abc'), 400],
    ['a folded header', 'GET /livez HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400],
    ['a header with a space in its name', 'GET /livez HTTP/1.1\r\nHost: x\r\nb ad: 1\r\n\r\n', 400],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['no host, and nothing there', 'GET /nowhere HTTP/1.1\r\n\r\n', 400],
    ['an expectation that nobody knows', 'GET /livez HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n', 417],
    ['too much head', `GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(9_000)}\r\n\r\n`, 431],
    ['too long a path', `GET /${'y'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('is answered and left: %s', async (_name, bytes, status) => {
    const { statuses, text, isClosed } = await talk([bytes]);
    expect([statuses, isClosed]).toEqual([[status], true]);
    expect(text).toContain('application/problem+json');
    expect(JSON.parse(text.slice(text.indexOf('{'))).status).toBe(status);
  });

  it('is never answered in the place of a purchase that is still being judged', async () => {
    const slow = await newHttpWorld({ stub: { purchase: () => new Promise(() => {}) } });
    const conversation = await talk([sized(AS_ANN, BODY), 'hello\r\n\r\n'], 400, slow.port);
    expect(conversation).toMatchObject({ text: '', isClosed: true });
    await slow.app.close();
    await slow.engine.stop();
  });

  it('is told in the language of whoever expects too much, and not of an old client without a host', async () => {
    const { text } = await talk(['GET /livez HTTP/1.1\r\nHost: x\r\nAccept-Language: zh\r\nExpect: x\r\n\r\n']);
    expect(text).toContain('Content-Language: zh');
    expect(text).toContain('"reason":"expectation_failed"');
    expect((await talk(['GET /livez HTTP/1.0\r\n\r\n'])).statuses).toEqual([200]);
    const waiting = post(`${AS_ANN}Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n`);
    expect((await talk([waiting, BODY])).statuses).toEqual([100, 401]);
  });

  it('survives a header called __proto__', async () => {
    const { statuses } = await talk([
      'GET /livez HTTP/1.1\r\nHost: x\r\n__proto__: 1\r\nconstructor: 2\r\n\r\n',
      LIVEZ,
    ]);
    expect(statuses).toEqual([200, 200]);
  });

  it('takes many headers, but no endless head', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `A${index}: 1\r\n`).join('');
    expect((await talk([`GET /livez HTTP/1.1\r\nHost: x\r\n${many}\r\n`])).statuses).toEqual([200]);
  });

  it('gives a slow head 5 seconds and a slow body 10, then says so and closes', async () => {
    const began = performance.now();
    const [head, body] = await Promise.all([
      talk(['GET /livez HTTP/1.1\r\nHost: x\r\n'], 9_000).then((end) => ({ ...end, ms: performance.now() - began })),
      talk([post(`${AS_ANN}Content-Length: 20\r\n`, '{"to')], 15_000).then((end) => ({
        ...end,
        ms: performance.now() - began,
      })),
    ]);
    for (const each of [head, body]) {
      expect(each).toMatchObject({ statuses: [408], isClosed: true });
      expect(each.text).toContain('"reason":"request_timeout"');
    }
    expect(head.ms).toBeGreaterThan(4_900);
    expect(head.ms).toBeLessThan(8_000);
    expect(body.ms).toBeGreaterThan(9_900);
    expect(body.ms).toBeLessThan(13_000);
  });
});

describe('a server that is closing', () => {
  const receipt = null;
  it.each<[string, PurchaseAccepted | Refusal, number]>([
    ['accepted', { kind: 'accepted', orderId: 'o', status: 'queued', units: 1, isReplayed: false, receipt }, 202],
    ['refused', { kind: 'refused', reason: 'sold_out' }, 409],
  ])('answers what is in hand, %s, and says that the connection ends', async (_name, outcome, status) => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const closing = await newHttpWorld({ stub: { purchase: () => held.then(() => outcome) } });
    const conversation = talk([sized(AS_ANN, BODY)], 3_000, closing.port);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = performance.now();
    const closed = closing.app.close();
    setTimeout(release, 150);
    const { statuses, text, isClosed } = await conversation;
    await closed;
    expect([statuses, isClosed]).toEqual([[status], true]);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(performance.now() - began).toBeLessThan(2_000);
    await closing.engine.stop();
  });
});

describe('settings of the server', () => {
  it('are those that were promised', () => {
    const { server } = world.app;
    expect(server).toMatchObject({ headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 75_000 });
    expect(world.app.initialConfig).toMatchObject({
      bodyLimit: 4_096,
      onProtoPoisoning: 'error',
      onConstructorPoisoning: 'error',
    });
  });
});
