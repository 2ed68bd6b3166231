/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07) on calls that change something. The key and what is asked
 * for are reserved in the ledger before anything is done, and the first final answer is kept there, so that a repeat gets it
 * after a restart, too. Not kept: what may be otherwise the next time (5xx, 429). Purchases do not come here: their token,
 * or request id, is their key.
 */
import { createHash, randomUUID } from 'node:crypto';
import { IDEMPOTENCY_KEY } from '@sluice/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { Fault } from '../domain/fault.ts';
import type { KeptAnswer, KeyBounds, KeyedCall } from '../domain/idempotency/keyed-call.ts';
import { refuse } from '../domain/refusal.ts';
import type { Idempotency } from '../ports/idempotency.ts';
import { buyerOf } from './authenticate.ts';
import type { Refuser } from './outcome-to-response.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Waits to be told of the answer before it is sent; null for nearly all. */
    beforeAnswer: ((answer: KeptAnswer) => Promise<void>) | null;
  }
}

/** For the `schema` of a route. */
export const KEYED_HEADERS = Type.Object({ 'idempotency-key': Type.Optional(IDEMPOTENCY_KEY) });

type KeyedRequest = FastifyRequest<{ Headers: Static<typeof KEYED_HEADERS> }>;

export type KeyedGuard = (request: KeyedRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** One for each kind of caller: the keys of two callers have nothing to do with each other. */
export interface KeyedCalls {
  readonly ofBuyer: KeyedGuard;
  readonly ofServer: KeyedGuard;
  readonly ofOperator: KeyedGuard;
}

const DAY_MS = 24 * 60 * 60_000;

/** Longer than any call is in hand: three times the longest request. */
const TAKE_OVER_MS = 30_000;

const TRUSTED: KeyBounds = { lifeMs: DAY_MS, takeOverMs: TAKE_OVER_MS, maxKeys: null };

/** A buyer cancels a few orders, and must not fill a ledger. */
const BUYERS: KeyBounds = { ...TRUSTED, maxKeys: 64 };

const COME_AGAIN_MS = 1_000;

const DIFFERS = 'This key came before, with another request.';

export function createKeyedCalls(store: Idempotency, refuser: Refuser): KeyedCalls {
  function guardOf(ownerOf: (request: FastifyRequest) => string, bounds: KeyBounds): KeyedGuard {
    return async (request, reply) => {
      const key = keyOf(request);
      if (key === null) return undefined;
      const fingerprint = digestOf([request.method, request.url, request.body ?? null]);
      const call = { scope: digestOf([ownerOf(request)]), key, fingerprint, holder: randomUUID() };
      const reservation = await store.reserve(call, bounds);
      switch (reservation.kind) {
        case 'reserved':
          request.beforeAnswer = (answer) => finish(store, call, answer, request);
          return undefined;
        case 'answered':
          return replay(reply, reservation.answer);
        case 'differs':
          return refuser.refuse(request, reply, refuse('content_differs'), { detail: DIFFERS });
        case 'in_hand':
          return refuser.refuse(request, reply, refuse('in_progress', { retryAfterMs: COME_AGAIN_MS }));
      }
    };
  }

  return {
    ofBuyer: guardOf((request) => `buyer ${buyerOf(request).buyerId}`, BUYERS),
    ofServer: guardOf(() => 'server', TRUSTED),
    ofOperator: guardOf(() => 'operator', TRUSTED),
  };
}

/** What stands between the quotes; null when there is no key. */
export function keyOf(request: KeyedRequest): string | null {
  const given = request.headers['idempotency-key'];
  return given?.replace(/^"(.*)"$/, '$1') ?? null;
}

/** By value, in the order in which it was written: who repeats a call sends the same letters. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

async function finish(store: Idempotency, call: KeyedCall, answer: KeptAnswer, request: FastifyRequest): Promise<void> {
  request.beforeAnswer = null;
  try {
    await (isFinal(answer.status) ? store.keep(call, answer) : store.letGo(call));
  } catch (error) {
    // What was done is done, and its answer is owed; a repeat is told to come again until the key is taken over.
    const level = error instanceof Fault ? 'warn' : 'error';
    request.log[level]({ err: error, route: request.routeOptions.url }, 'an answer was not kept under its key');
  }
}

function isFinal(status: number): boolean {
  return status < 500 && status !== 429;
}

function replay(reply: FastifyReply, { status, mediaType, language, body }: KeptAnswer): FastifyReply {
  reply.code(status).header('Content-Type', mediaType).header('Idempotent-Replayed', 'true');
  if (language !== null) reply.header('Content-Language', language);
  return reply.send(body);
}
