/**
 * The sample page. Every file is read at start and has a route of its own, so no path of a request ever meets the disk. The
 * page's script names the codes of the contract as a package; in a browser that is a folder beside it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { HttpServer } from '../route.ts';

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

const PAGE_HEADERS = {
  'Content-Security-Policy': "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  // Asked for again each time, and mostly answered "not changed".
  'Cache-Control': 'no-cache',
};

const CODES_PACKAGE = '@sluice/contract/codes';
const CODES_FOLDER = '/codes/';

interface StaticFile {
  readonly text: string;
  readonly mediaType: string;
  readonly etag: string;
}

export function addStorefront(app: HttpServer, folder: string): void {
  for (const [path, file] of readFiles(folder)) {
    const headers = { ...PAGE_HEADERS, ETag: file.etag };
    app.get(path, (request, reply) => {
      reply.headers(headers);
      if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
      return reply.type(file.mediaType).send(file.text);
    });
  }
}

function readFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const [name, file] of readFolder(folder)) files.set(name === 'index.html' ? '/' : `/${name}`, file);
  for (const [name, file] of readFolder(codesFolder())) files.set(`${CODES_FOLDER}${name}`, file);
  return files;
}

function codesFolder(): string {
  const contract = dirname(createRequire(import.meta.url).resolve('@sluice/contract/package.json'));
  return join(contract, 'dist', 'codes');
}

function readFolder(folder: string): readonly (readonly [string, StaticFile])[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    const mediaType = MEDIA_TYPES.get(extname(name));
    if (mediaType === undefined || !entry.isFile()) return [];
    const text = readFileSync(join(folder, name), 'utf8').replaceAll(`'${CODES_PACKAGE}'`, `'${CODES_FOLDER}index.js'`);
    const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    return [[name, { text, mediaType, etag }]];
  });
}
