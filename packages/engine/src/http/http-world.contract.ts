/** A listening server over a real engine in memory, and callers for it. */

import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { CreateSaleRequest } from '@sluice/contract';
import pino from 'pino';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createJwtIdentity } from '../adapters/system/identity.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { createHttpSender } from '../adapters/webhook/http-sender.ts';
import { buildEngine } from '../compose/build-engine.ts';
import type { Wallet } from '../ports/wallet.ts';
import { undocumented } from './api-answers.contract.ts';
import type { HttpDeps, ServedEngine } from './deps.ts';
import type { ApiDocument } from './open-api.ts';
import { createHttpServer } from './server.ts';

export const ADMIN_KEY = 'an-admin-key-of-32-characters-or-so';
export const SERVER_KEY = 'a-server-key-of-32-characters-or-so';
const JWT_SECRET = 'the-secret-of-the-operator-32-bytes';

/** A JWT made by hand: tests must be able to make wrong ones. */
export function jwtFor(buyer: string, claims: object = {}, secret = JWT_SECRET): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: buyer, exp, ...claims })}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

export interface Call {
  /** Calls as this buyer. */
  readonly as?: string;
  readonly admin?: true;
  readonly server?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests look into answers of many shapes.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly json: any;
}

export type HttpWorld = Awaited<ReturnType<typeof newHttpWorld>>;

export async function newHttpWorld(
  more: Partial<HttpDeps> & { readonly stub?: Partial<ServedEngine>; readonly wallet?: Wallet } = {},
) {
  let clockOffsetMs = 0;
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + clockOffsetMs };
  const idSource = createIdSource();
  const store = createMemoryStore({ clock, idSource });
  const ledger = createMemoryLedger({ clock });
  const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
  const webhookSender = createHttpSender({ networks: 'any' });
  const crashes: unknown[] = [];
  const engine = buildEngine({
    ...{ clock, idSource, signer, ledger, gate: store.gate, queue: store.queue, marks: store.marks },
    ...{ feed: createMemoryOrderFeed(), webhookSender },
    ...(more.wallet && { wallet: more.wallet }),
    onFault: () => {},
    onCrash: (error) => crashes.push(error),
  });
  await engine.start();

  const logged: string[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line));
      done();
    },
  });
  const { stub, wallet: _, ...deps } = more;
  const httpDeps: HttpDeps = {
    ...{ engine: { ...engine, ...stub }, clock, isReady: () => true, random: () => 0 },
    ...{ adminKey: ADMIN_KEY, serverKey: SERVER_KEY },
    ...{ identity: createJwtIdentity({ secret: JWT_SECRET, buyerClaim: 'sub' }), trustedProxies: [] },
    ...{ logger: pino({ level: 'trace' }, sink), ...deps },
  };
  const app = createHttpServer(httpDeps);
  const routes: { readonly method: string; readonly path: string }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().map((each) => ({ method: each, path: url })));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  // From another address than the tests', whose limits are counted.
  const document = JSON.parse(
    (await app.inject({ path: '/openapi.json', remoteAddress: '192.0.2.1' })).body,
  ) as ApiDocument;
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  async function call(
    method: string,
    path: string,
    { as, admin, server, headers = {}, body }: Call = {},
  ): Promise<Answer> {
    const key = (admin && ADMIN_KEY) ?? (server && SERVER_KEY);
    const credential = key ?? (as && jwtFor(as));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(credential && { authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
    const json = /\bjson$/.test(mediaType) && text !== '' ? JSON.parse(text) : undefined;
    const { status } = response;
    // A stub may answer what the engine never would.
    const complaint = stub ? null : undocumented(document, { method, path, status, mediaType, json });
    if (complaint !== null) throw new Error(complaint);
    return { status, headers: response.headers, text, json };
  }

  function draftOf(id: string, more: Partial<CreateSaleRequest> = {}): CreateSaleRequest {
    const nowMs = clock.nowMs();
    return {
      ...{ id, title: `Sale ${id}`, totalUnits: 10, limitUnits: 2, holdMs: 60_000 },
      ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 3_600_000, ...more },
    };
  }

  return {
    ...{ app, port, url, routes, engine, ledger, store, clock, logged, signer, deps: httpDeps, call, draftOf },
    advance(ms: number) {
      clockOffsetMs += ms;
    },
    /** Through the API, as an operator would. */
    async openSale(id: string, more: Partial<CreateSaleRequest> = {}) {
      const created = await call('POST', '/v1/admin/sales', { admin: true, body: draftOf(id, more) });
      if (created.status !== 201) throw new Error(created.text);
      const published = await call('POST', `/v1/admin/sales/${id}/publish`, { admin: true });
      if (published.status !== 200) throw new Error(published.text);
    },
    async tokenFor(saleId: string, buyer: string): Promise<string> {
      const issued = await call('POST', `/v1/sales/${saleId}/token`, { as: buyer });
      if (issued.status !== 200) throw new Error(issued.text);
      return issued.json.token;
    },
    buy: (saleId: string, buyer: string, token: unknown, units: unknown = 1) =>
      call('POST', `/v1/sales/${saleId}/purchases`, { as: buyer, body: { token, units } }),
    async close() {
      await app.close();
      await engine.stop();
      await webhookSender.close();
      if (crashes.length > 0) throw crashes[0];
    },
  };
}
