/**
 * A body is read as the UTF-8 that it is sent as: nothing here unpacks it or knows another alphabet. So one that says it
 * is packed, or in another, is refused before it is read; read as if it were plain, it would be told to be broken JSON.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../domain/refusal.ts';
import type { Refuser } from './outcome-to-response.ts';

/** What a client that packed its body should do instead (RFC 9110, 15.5.16). */
const AS_IT_IS = { 'Accept-Encoding': 'identity' } as const;

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/gi;

/** A hook for `preParsing`: behind the guards, so that strangers are told nothing, and before the first byte is kept. */
export function createBodyFormCheck(refuser: Refuser) {
  return (request: FastifyRequest, reply: FastifyReply, _body: unknown, next: () => void): void => {
    const { 'content-encoding': coding, 'content-type': type } = request.headers;
    const isPlain = isIdentity(coding) && isUtf8(type);
    if (isPlain || !hasBody(request)) next();
    else refuser.refuse(request, reply, refuse('unsupported_media_type'), { headers: AS_IT_IS });
  };
}

function isIdentity(coding: string | undefined): boolean {
  return coding === undefined || coding.split(',').every((each) => each.trim().toLowerCase() === 'identity');
}

function isUtf8(type: string | undefined): boolean {
  // Nearly every body has no parameter: not worth a search.
  if (!type?.includes(';')) return true;
  return [...type.matchAll(CHARSET)].every(([, charset]) => /^utf-?8$/i.test(charset ?? ''));
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
