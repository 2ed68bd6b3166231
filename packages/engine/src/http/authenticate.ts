/**
 * Who is calling. Judged before the body is read: a stranger costs a head, not a body. Credentials are compared in constant
 * time and are never logged.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Buyer } from '../domain/buyer.ts';
import { invariant } from '../domain/invariant.ts';
import { refuse } from '../domain/refusal.ts';
import type { IdentityVerifier } from '../ports/identity.ts';
import type { Refuser } from './outcome-to-response.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on routes that ask for no buyer. */
    buyer: Buyer | null;
  }
}

export type Guard = (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;

export function requireBuyer(identity: IdentityVerifier, refuser: Refuser): Guard {
  return (request, reply, next) => {
    const credential = bearerOf(request);
    const buyer = credential === null ? null : identity.identify(credential);
    if (!buyer) {
      refuser.refuse(request, reply, refuse('unauthenticated'));
      return;
    }
    request.buyer = buyer;
    next();
  };
}

export function buyerOf(request: { readonly buyer: Buyer | null }): Buyer {
  invariant(request.buyer, 'a route that reads the buyer asks for one');
  return request.buyer;
}

/** For callers who carry one key of the deployment. */
export function requireKey(hasKey: (request: FastifyRequest) => boolean, refuser: Refuser): Guard {
  return (request, reply, next) => {
    if (hasKey(request)) next();
    else refuser.refuse(request, reply, refuse('unauthenticated'));
  };
}

export function keyCheck(key: string): (request: FastifyRequest) => boolean {
  invariant(key.length > 0, 'a key is not empty');
  const expected = digestOf(key);
  return (request) => {
    const credential = bearerOf(request);
    return credential !== null && timingSafeEqual(digestOf(credential), expected);
  };
}

/** Digests have one length, which the comparison needs, and do not tell how long the key is. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const SCHEME = 'bearer ';

function bearerOf(request: FastifyRequest): string | null {
  const { authorization } = request.headers;
  if (authorization === undefined || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null;
  return authorization.slice(SCHEME.length);
}
