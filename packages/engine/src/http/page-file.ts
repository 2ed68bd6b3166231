/** A file of a page, or a document: kept as text, and sent once to whoever keeps it. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

const HEADERS = {
  'Content-Security-Policy': "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  // Asked for again each time, and mostly answered "not changed".
  'Cache-Control': 'no-cache',
};

export interface PageFile {
  readonly text: string;
  readonly mediaType: string;
  readonly etag: string;
}

export function pageFile(text: string, mediaType: string): PageFile {
  return { text, mediaType, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

export function sendPageFile(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  reply.headers({ ...HEADERS, ETag: file.etag });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  return reply.type(file.mediaType).send(file.text);
}
