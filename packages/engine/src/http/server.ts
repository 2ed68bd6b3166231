/**
 * The HTTP surface. `gateway` decides, this speaks: it knows who calls, checks shapes, hands over, and words the answer.
 * Promises: every answer that is not the one asked for is a problem with a reason of the closed table; nothing is coerced;
 * what a caller costs before they are known is bounded; no credential is logged.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { refuse } from '../domain/refusal.ts';
import { createRequestLimits, NO_RATES } from '../funnel/gateway/request-limits.ts';
import { addApiDocument } from './api-document.ts';
import { keyCheck } from './authenticate.ts';
import { createBodyFormCheck } from './body-form.ts';
import { answerClientError, answerExpectation, lacksHost } from './client-error.ts';
import type { HttpDeps } from './deps.ts';
import { errorToRefusal } from './error-to-refusal.ts';
import { createGuards, requireKey } from './guards.ts';
import { createKeyedCalls } from './keyed-calls.ts';
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  MAX_PARAM_LENGTH,
  REQUEST_TIMEOUT_MS,
  TIMEOUT_CHECK_MS,
} from './limits.ts';
import { API_HEADERS, createRefuser, type Refuser } from './outcome-to-response.ts';
import type { HttpServer } from './route.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';
import { ADMIN_PREFIX, addRoutes } from './routes/index.ts';

/** Listens nowhere yet. */
export function createHttpServer(deps: HttpDeps): HttpServer {
  let isClosing = false;
  const isEnding = () => isClosing || deps.isDraining?.() === true;
  const refuser = createRefuser({ clock: deps.clock, random: deps.random ?? Math.random, isClosing: isEnding });
  const app = newServer(deps, (error, request, reply) => answerError(refuser, error, request, reply));
  const table = createRouteTable(app);
  const mayOperate = keyCheck(deps.adminKey);

  app.decorateRequest('buyer', null);
  app.decorateRequest('beforeAnswer', null);
  app.server.on('checkExpectation', answerExpectation);
  app.addHook('onRequest', (request, reply, next) => {
    if (lacksHost(request.raw)) {
      refuser.refuse(request, reply, refuse('bad_request'), NO_HOST);
      return;
    }
    if (request.is404) {
      answerUnknownRoute({ refuser, table, mayOperate }, request, reply);
      return;
    }
    reply.headers(API_HEADERS);
    next();
  });
  // Whoever is answered during the close must be told, or the connection stays until it has been idle for long.
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  app.addHook('onSend', (request, reply, payload, next) => {
    if (isEnding()) reply.header('Connection', 'close');
    if (!request.beforeAnswer) return next(null, payload);
    const mediaType = String(reply.getHeader('content-type'));
    const answer = { status: reply.statusCode, mediaType, language: null, body: String(payload) };
    request.beforeAnswer(answer).then(() => next(null, payload), next);
  });
  app.setErrorHandler((error, request, reply) => {
    answerError(refuser, error, request, reply);
  });
  // Only JSON is taken; by default any text would be, too.
  app.removeContentTypeParser('text/plain');
  app.addHook('preParsing', createBodyFormCheck(refuser));

  const { identity, engine, telemetry, limits = createRequestLimits(deps.clock, NO_RATES) } = deps;
  const routeDeps = {
    ...deps,
    ...createGuards({
      ...{ identity, refuser, limits, telemetry, shed: () => engine.shed?.() ?? null },
      refuseUnread: (saleId, buyer) => engine.refuseUnread?.(saleId, buyer) ?? null,
    }),
    ...{ refuser, writeDocument: addApiDocument(app) },
    keyed: createKeyedCalls(deps.engine.idempotency, refuser),
    requireOperator: requireKey(mayOperate, refuser),
    requireServer: requireKey(keyCheck(deps.serverKey), refuser),
  };
  // After the document's plug-in has been loaded, which sees what is added from then on.
  app.register(async (scope: HttpServer) => addRoutes(scope, routeDeps));
  return app;
}

const NO_HOST = { detail: 'The Host header is missing.', headers: { Connection: 'close' } };

function newServer(
  { logger, trustedProxies }: HttpDeps,
  onFrameworkError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void,
): HttpServer {
  return Fastify({
    ...(logger === false ? { logger } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request, with a list of secrets to hide, would cost 4 % of a refusal, which says nothing.
    childLoggerFactory: (parent) => parent,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: MAX_BODY_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Refused here, with a problem.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Nothing is bent into shape. All that is wrong is told at once: with so small a body that is not much.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true } },
    // While draining, what still comes is answered, and its connection closed.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: onFrameworkError,
  }).withTypeProvider<TypeBoxTypeProvider>();
}

function answerError(refuser: Refuser, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { refusal, detail } = errorToRefusal(error);
  // The route's pattern, not its address: what was asked for is not ours to keep.
  const where = { method: request.method, route: request.routeOptions.url };
  if (refusal.reason === 'internal') request.log.error({ err: error, ...where }, 'a request broke');
  if (refusal.reason === 'busy') request.log.warn({ err: error, ...where }, 'a request met a fault');
  refuser.refuse(request, reply, refusal, detail === undefined ? {} : { detail });
}

interface UnknownRouteDeps {
  readonly refuser: Refuser;
  readonly table: RouteTable;
  readonly mayOperate: (request: FastifyRequest) => boolean;
}

function answerUnknownRoute(deps: UnknownRouteDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { refuser, table, mayOperate } = deps;
  const [path = ''] = request.url.split('?', 1);
  // What operators have is told to operators only.
  if (path.startsWith(ADMIN_PREFIX) && !mayOperate(request)) {
    refuser.refuse(request, reply, refuse('unauthenticated'));
    return;
  }
  const methods = table.methodsOf(path);
  if (methods.length === 0) refuser.refuse(request, reply, refuse('not_found'));
  else if (request.method === 'OPTIONS') reply.code(204).headers(API_HEADERS).header('Allow', allow(methods)).send();
  else refuser.refuse(request, reply, refuse('method_not_allowed'), { headers: { Allow: allow(methods) } });
}

function allow(methods: readonly string[]): string {
  return [...methods, 'OPTIONS'].join(', ');
}
