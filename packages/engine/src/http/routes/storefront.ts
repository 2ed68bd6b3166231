/**
 * The sample page. Every file is read at start and has a route of its own, so no path of a request ever meets the disk. The
 * page's script names the codes of the contract as a package; in a browser that is a folder beside it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { UNDOCUMENTED } from '../documented.ts';
import { type PageFile, pageFile, sendPageFile } from '../page-file.ts';
import type { HttpServer } from '../route.ts';

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

const CODES_PACKAGE = '@sluice/contract/codes';
const CODES_FOLDER = '/codes/';

export function addStorefront(app: HttpServer, folder: string): void {
  for (const [path, file] of readFiles(folder)) {
    app.get(path, { schema: UNDOCUMENTED }, (request, reply) => sendPageFile(request, reply, file));
  }
}

function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const [name, file] of readFolder(folder)) files.set(name === 'index.html' ? '/' : `/${name}`, file);
  for (const [name, file] of readFolder(codesFolder())) files.set(`${CODES_FOLDER}${name}`, file);
  return files;
}

function codesFolder(): string {
  const contract = dirname(createRequire(import.meta.url).resolve('@sluice/contract/package.json'));
  return join(contract, 'dist', 'codes');
}

function readFolder(folder: string): readonly (readonly [string, PageFile])[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    const mediaType = MEDIA_TYPES.get(extname(name));
    if (mediaType === undefined || !entry.isFile()) return [];
    const text = readFileSync(join(folder, name), 'utf8').replaceAll(`'${CODES_PACKAGE}'`, `'${CODES_FOLDER}index.js'`);
    return [[name, pageFile(text, mediaType)]];
  });
}
