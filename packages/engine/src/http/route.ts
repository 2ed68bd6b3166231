/** What every route is written against. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { PROBLEM } from '@sluice/contract';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { HttpDeps } from './deps.ts';
import type { Guard, Guards } from './guards.ts';
import type { KeyedCalls } from './keyed-calls.ts';
import type { ApiDocument } from './open-api.ts';
import type { Refuser } from './outcome-to-response.ts';

export type HttpServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface RouteDeps extends HttpDeps, Guards {
  readonly refuser: Refuser;
  readonly keyed: KeyedCalls;
  readonly requireOperator: Guard;
  /** The operator's own back end. */
  readonly requireServer: Guard;
  /** Only once the server is ready. */
  readonly writeDocument: () => ApiDocument;
}

/** Beside its own answer, every route may give these. */
export const PROBLEMS = { '4xx': PROBLEM, '5xx': PROBLEM } as const;
