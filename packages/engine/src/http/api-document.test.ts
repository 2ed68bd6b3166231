import { Validator } from '@seriousme/openapi-schema-validator';
import Value from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';
import type { ApiDocument, Operation } from './open-api.ts';

const metrics = { mediaType: 'text/plain', write: async () => '' };

/** Pages and their files: for people, and no part of the interface. */
const UNDOCUMENTED_PATHS = ['/docs.css'];

let worlds: Readonly<Record<'both' | 'buyers' | 'operators', HttpWorld>>;

beforeAll(async () => {
  const open = (serves: 'both' | 'buyers' | 'operators') => newHttpWorld({ serves, metrics, devIdentity: () => 'jwt' });
  const [both, buyers, operators] = await Promise.all([open('both'), open('buyers'), open('operators')]);
  worlds = { both, buyers, operators };
});
afterAll(() => Promise.all(Object.values(worlds).map((world) => world.close())));

async function documentOf(world: HttpWorld): Promise<ApiDocument> {
  const answer = await world.call('GET', '/openapi.json');
  expect(answer.status).toBe(200);
  return answer.json;
}

function operationsOf(document: ApiDocument): readonly (readonly [string, Operation])[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

describe.each(['both', 'buyers', 'operators'] as const)('the document of a listener that serves %s', (serves) => {
  it('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...(await documentOf(worlds[serves])) });
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('has every route of the listener, and no other', async () => {
    const served = worlds[serves].routes.filter(
      ({ method, path }) => method !== 'HEAD' && !UNDOCUMENTED_PATHS.includes(path),
    );
    const documented = operationsOf(await documentOf(worlds[serves])).map(([name]) => name);
    const names = served.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect([...documented].sort()).toEqual([...names].sort());
    expect(names.length).toBeGreaterThan(10);
  });
});

describe('the document', () => {
  it('tells operators’ paths to operators only', async () => {
    expect(Object.keys((await documentOf(worlds.buyers)).paths).filter((path) => path.includes('admin'))).toEqual([]);
    expect(
      Object.keys((await documentOf(worlds.operators)).paths).filter((path) => path.includes('sales')),
    ).not.toContain('/v1/sales/{saleId}/purchases');
  });

  it('names every operation once, and says whom it is for', async () => {
    const document = await documentOf(worlds.both);
    const operations = operationsOf(document);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, { summary, tags, security }] of operations) {
      expect(summary, name).toMatch(/\w.*\.$/);
      expect(
        document.tags.map((tag) => tag.name),
        name,
      ).toContain(tags[0]);
      if (name.includes('/v1/admin')) expect(security, name).toEqual([{ adminKey: [] }]);
      if (name.includes('/payment') || name.includes('/bulk')) expect(security, name).toEqual([{ serverKey: [] }]);
      if (name.includes('/purchases') && !name.includes('bulk')) expect(security, name).toEqual([{ buyerJwt: [] }]);
    }
  });

  it('says of every problem that it is one, and when to come again', async () => {
    for (const [name, { responses }] of operationsOf(await documentOf(worlds.both))) {
      for (const [status, { content, headers }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        expect(Object.keys(content ?? {}), name).toEqual(['application/problem+json']);
        if (['429', '503'].includes(status)) expect(Object.keys(headers ?? {}), name).toContain('Retry-After');
      }
    }
  });

  it('has examples that are right', async () => {
    let seen = 0;
    const look = (value: unknown, path: string): void => {
      if (value === null || typeof value !== 'object') return;
      const { examples, example, schema, ...rest } = value as Record<string, unknown>;
      const subject = (example === undefined ? rest : schema) as object;
      for (const each of example === undefined ? ((examples as unknown[] | undefined) ?? []) : [example]) {
        seen++;
        expect([...Value.Errors(subject, each)], path).toEqual([]);
      }
      for (const [name, inner] of Object.entries(value)) look(inner, `${path}.${name}`);
    };
    look(await documentOf(worlds.both), '');
    expect(seen).toBeGreaterThan(50);
  });

  it('is sent once to whoever keeps it', async () => {
    const first = await worlds.both.call('GET', '/openapi.json');
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await worlds.both.call('GET', '/openapi.json', { headers })).status).toBe(304);
  });
});

describe('the page for people', () => {
  it('needs no script and nothing from elsewhere', async () => {
    const page = await worlds.both.call('GET', '/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.text).not.toMatch(/<script|<style|<img|\s(style|src|on\w+)=|href="\w+:/);
    const style = await worlds.both.call('GET', '/docs.css');
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  });

  it('shows every operation and every shape, with links that lead somewhere', async () => {
    const { text } = await worlds.both.call('GET', '/docs');
    const document = await documentOf(worlds.both);
    const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, { operationId }] of operationsOf(document)) expect(anchors).toContain(operationId);
    for (const name of Object.keys(document.components.schemas)) expect(anchors).toContain(name);
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(anchors).toContain(target);
  });
});
