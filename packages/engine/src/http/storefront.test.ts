import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

const built = join(dirname(createRequire(import.meta.url).resolve('@sluice/storefront/package.json')), 'dist');

/** Unlike fetch, this sends the path as it is. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

describe('the page that was built', () => {
  let world: HttpWorld;
  beforeAll(async () => {
    world = await newHttpWorld({ storefront: built });
  });
  afterAll(() => world.close());

  it('is served with all that it names, and nothing comes from elsewhere', async () => {
    const waiting = ['/'];
    const seen = new Map<string, string>();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      const answer = await world.call('GET', path);
      expect([path, answer.status]).toEqual([path, 200]);
      seen.set(path, answer.headers.get('content-type') ?? '');
      const names = [...answer.text.matchAll(/(?:\bfrom\s*|\bimport\s*|src=|href=)["']([^"']+)["']/g)].map(
        (match) => match[1],
      );
      waiting.push(
        ...names
          .map((name) => new URL(name ?? '', `http://page${path}`))
          .map((url) => {
            expect(url.host).toBe('page');
            return url.pathname;
          }),
      );
    }
    expect(Object.fromEntries(seen)).toMatchObject({
      '/': 'text/html; charset=utf-8',
      '/style.css': 'text/css; charset=utf-8',
      '/icon.svg': 'image/svg+xml',
      '/page.js': 'text/javascript; charset=utf-8',
      '/codes/index.js': 'text/javascript; charset=utf-8',
      '/codes/reasons.js': 'text/javascript; charset=utf-8',
    });
  });

  it('may run nothing that did not come with it, and is never guessed at', async () => {
    for (const path of ['/', '/page.js', '/style.css', '/codes/index.js']) {
      const { headers } = await world.call('GET', path);
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-cache');
    }
    const { text } = await world.call('GET', '/');
    expect(text).not.toMatch(/\son\w+=|style=|<script(?![^>]*src=)/);
  });

  it('is not sent again while it is the same', async () => {
    const first = await world.call('GET', '/page.js');
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    const again = await world.call('GET', '/page.js', { headers });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await world.call('GET', '/page.js', { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    expect((await world.call('HEAD', '/page.js')).headers.get('content-length')).toBe(
      String(Buffer.byteLength(first.text)),
    );
  });
});

describe('the folder of a page', () => {
  const root = mkdtempSync(join(tmpdir(), 'storefront-'));
  const storefront = join(root, 'page');
  let world: HttpWorld;
  beforeAll(async () => {
    mkdirSync(join(storefront, 'folder.css'), { recursive: true });
    writeFileSync(join(storefront, 'index.html'), '<p>page');
    writeFileSync(join(storefront, '.tsbuildinfo'), 'secret');
    writeFileSync(join(storefront, 'notes.txt'), 'secret');
    writeFileSync(join(root, 'secret.js'), 'secret');
    world = await newHttpWorld({ storefront });
  });
  afterAll(async () => {
    await world.close();
    rmSync(root, { recursive: true });
  });

  it.each([
    ...[
      '/../secret.js',
      '/%2e%2e/secret.js',
      '/..%2fsecret.js',
      '/codes/../../secret.js',
      '/codes/..%5c..%5csecret.js',
    ],
    ...[
      '//etc/passwd',
      '/etc/passwd',
      '/.tsbuildinfo',
      '/notes.txt',
      '/folder.css',
      '/codes/',
      '/codes',
      '/index.html/',
    ],
    ...['/page.js', '/__proto__', '/constructor', '/index.html%00.js'],
  ])('gives out nothing but its page: %s', async (path) => {
    expect(await statusOf(world.port, path)).toBe(404);
  });

  it('is not read again after the start', async () => {
    writeFileSync(join(storefront, 'index.html'), '<p>changed');
    expect((await world.call('GET', '/')).text).toBe('<p>page');
  });
});
