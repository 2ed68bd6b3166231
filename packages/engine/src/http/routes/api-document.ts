/**
 * `GET /openapi.json`: what this listener serves, for programs. `GET /docs`: the same for people, on one page that needs no
 * script and nothing from elsewhere. Both are written at the first call, and kept.
 */
import { DOCS_STYLE, renderDocs } from '../docs-page.ts';
import { documented, UNDOCUMENTED } from '../documented.ts';
import { type PageFile, pageFile, sendPageFile } from '../page-file.ts';
import type { HttpServer, RouteDeps } from '../route.ts';

const unchanged = { description: 'As it was, by If-None-Match.', mediaTypes: [] };

const documentSchema = documented({
  operationId: 'readDocument',
  summary: 'This document.',
  ...{ caller: 'anyone', tag: 'health' },
  texts: { 200: { description: 'OpenAPI 3.1.', mediaTypes: ['application/json'] }, 304: unchanged },
});

const pageSchema = documented({
  operationId: 'readDocs',
  summary: 'This document as a page.',
  ...{ caller: 'anyone', tag: 'health' },
  texts: { 200: { description: 'A page without scripts.', mediaTypes: ['text/html'] }, 304: unchanged },
});

export function addApiDocumentRoutes(app: HttpServer, { writeDocument, limitAddress }: RouteDeps): void {
  const style = pageFile(DOCS_STYLE, 'text/css; charset=utf-8');
  let written: { readonly document: PageFile; readonly page: PageFile } | null = null;

  function write() {
    const document = writeDocument();
    written ??= {
      document: pageFile(JSON.stringify(document), 'application/json; charset=utf-8'),
      page: pageFile(renderDocs(document), 'text/html; charset=utf-8'),
    };
    return written;
  }

  app.get('/openapi.json', { schema: documentSchema, onRequest: limitAddress }, (request, reply) =>
    sendPageFile(request, reply, write().document),
  );
  app.get('/docs', { schema: pageSchema, onRequest: limitAddress }, (request, reply) =>
    sendPageFile(request, reply, write().page),
  );
  app.get('/docs.css', { schema: UNDOCUMENTED }, (request, reply) => sendPageFile(request, reply, style));
}
