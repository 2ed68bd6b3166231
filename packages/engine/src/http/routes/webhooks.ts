/**
 * `/v1/admin/webhooks`: endpoints that are told of events. Calls that answer with a secret take no idempotency key: the answer
 * would be kept, and told again.
 */
import {
  ADD_WEBHOOK,
  DEAD_LETTER_PAGE,
  LIST_DEAD_LETTERS,
  NO_CONTENT,
  REPLAY,
  REPLAYED,
  ROTATE_SECRET,
  SECRET_ROTATED,
  WEBHOOK_ADDED,
  WEBHOOK_LIST,
  WEBHOOK_PARAMS,
  WEBHOOK_REMOVED,
  WEBHOOK_TESTED,
} from '@sluice/contract';
import { MAX_ENDPOINTS } from '../../domain/outbox/webhook-endpoint.ts';
import { refuse } from '../../domain/refusal.ts';
import type { WebhookOperations } from '../../funnel/operate-webhooks.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { deadLetterAnswer, endpointAnswer, testAnswer, webhookAnswer } from '../webhook-answers.ts';

const DEFAULT_LIMIT = 20;

const UNDER_WAY = 'The secret before still signs. Wait until it does not, or drop it with `dropOld`.';

const TOO_MANY = `There are ${MAX_ENDPOINTS} endpoints already.`;

export function addWebhookRoutes(app: HttpServer, deps: RouteDeps, webhooks: WebhookOperations): void {
  for (const add of [addList, addAdd, addRemove, addRotate, addTest, addListDead, addReplay]) add(app, deps, webhooks);
}

function addList(app: HttpServer, _deps: RouteDeps, webhooks: WebhookOperations): void {
  const schema = {
    ...documented({ operationId: 'listWebhooks', summary: 'Endpoints, without their secrets.', caller: 'operator' }),
    response: { 200: WEBHOOK_LIST, ...PROBLEMS },
  };
  app.get('/webhooks', { schema }, async () => ({ webhooks: (await webhooks.list()).map(webhookAnswer) }));
}

function addAdd(app: HttpServer, { refuser }: RouteDeps, webhooks: WebhookOperations): void {
  const schema = {
    ...documented({
      operationId: 'addWebhook',
      summary: 'An endpoint that is told of events from now on. Answers with its secret, once.',
      caller: 'operator',
      reasons: ['exists', 'wrong_state'],
    }),
    body: ADD_WEBHOOK,
    response: { 201: WEBHOOK_ADDED, ...PROBLEMS },
  };
  app.post('/webhooks', { schema }, async (request, reply) => {
    const { id, url, events } = request.body;
    const result = await webhooks.add({ id, url, eventTypes: events ?? null });
    switch (result.kind) {
      case 'mistaken':
        return refuser.refuse(request, reply, refuse('bad_request'), { detail: `url: ${result.sentence}` });
      case 'exists':
        return refuser.refuse(request, reply, refuse('exists'), { detail: `An endpoint ${id} exists.` });
      case 'too_many':
        return refuser.refuse(request, reply, refuse('wrong_state'), { detail: TOO_MANY });
      case 'added':
        request.log.info({ webhookId: id, url }, 'webhook endpoint added');
        reply.code(201);
        return { ...endpointAnswer(result.endpoint), secret: result.endpoint.secret };
    }
  });
}

function addRemove(app: HttpServer, { refuser, keyed }: RouteDeps, webhooks: WebhookOperations): void {
  const schema = {
    ...documented({
      operationId: 'removeWebhook',
      summary: 'Takes an endpoint away, with what waits for it.',
      caller: 'operator',
      isKeyed: true,
    }),
    ...{ params: WEBHOOK_PARAMS, headers: KEYED_HEADERS, response: { 200: WEBHOOK_REMOVED, ...PROBLEMS } },
  };
  app.delete('/webhooks/:webhookId', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const { webhookId } = request.params;
    if (!(await webhooks.remove(webhookId))) return refuser.refuse(request, reply, refuse('not_found'));
    request.log.info({ webhookId }, 'webhook endpoint removed');
    return { id: webhookId };
  });
}

function addRotate(app: HttpServer, { refuser }: RouteDeps, webhooks: WebhookOperations): void {
  const schema = {
    ...documented({
      operationId: 'rotateWebhookSecret',
      summary: 'A new secret, told once. For a day the old one signs beside it.',
      caller: 'operator',
      reasons: ['wrong_state'],
    }),
    ...{ params: WEBHOOK_PARAMS, body: ROTATE_SECRET, response: { 200: SECRET_ROTATED, ...PROBLEMS } },
  };
  app.post('/webhooks/:webhookId/rotate-secret', { schema }, async (request, reply) => {
    const { webhookId } = request.params;
    const result = await webhooks.rotate(webhookId, request.body?.dropOld ?? false);
    if (result.kind === 'absent') return refuser.refuse(request, reply, refuse('not_found'));
    if (result.kind === 'under_way') {
      return refuser.refuse(request, reply, refuse('wrong_state'), { detail: UNDER_WAY });
    }
    request.log.info({ webhookId }, 'webhook secret rotated');
    const { secret, oldSecret } = result.endpoint;
    return { id: webhookId, secret, oldSecretUntilMs: oldSecret?.untilMs ?? null };
  });
}

function addTest(app: HttpServer, { refuser }: RouteDeps, webhooks: WebhookOperations): void {
  const schema = {
    ...documented({
      operationId: 'testWebhook',
      summary: 'Sends an event `webhook.test` now, once, and tells how that went.',
      caller: 'operator',
    }),
    ...{ params: WEBHOOK_PARAMS, body: NO_CONTENT, response: { 200: WEBHOOK_TESTED, ...PROBLEMS } },
  };
  app.post('/webhooks/:webhookId/test', { schema }, async (request, reply) => {
    const answer = await webhooks.test(request.params.webhookId);
    return answer ? testAnswer(answer) : refuser.refuse(request, reply, refuse('not_found'));
  });
}

function addListDead(app: HttpServer, { refuser }: RouteDeps, webhooks: WebhookOperations): void {
  const schema = {
    ...documented({
      operationId: 'listDeadLetters',
      summary: 'A page of deliveries that were given up, oldest first.',
      caller: 'operator',
    }),
    ...{ params: WEBHOOK_PARAMS, querystring: LIST_DEAD_LETTERS },
    response: { 200: DEAD_LETTER_PAGE, ...PROBLEMS },
  };
  app.get('/webhooks/:webhookId/dead-letters', { schema }, async (request, reply) => {
    const { after, limit } = request.query;
    const max = limit === undefined ? DEFAULT_LIMIT : Number(limit);
    const page = await webhooks.listDead(request.params.webhookId, after === undefined ? null : Number(after), max);
    if (!page) return refuser.refuse(request, reply, refuse('not_found'));
    return { deadLetters: page.deadLetters.map(deadLetterAnswer), next: page.next };
  });
}

function addReplay(app: HttpServer, { refuser, keyed }: RouteDeps, webhooks: WebhookOperations): void {
  const schema = {
    ...documented({
      operationId: 'replayDeadLetters',
      summary: 'Sends dead letters again: one, or all of an endpoint.',
      caller: 'operator',
      isKeyed: true,
    }),
    ...{ params: WEBHOOK_PARAMS, headers: KEYED_HEADERS, body: REPLAY, response: { 200: REPLAYED, ...PROBLEMS } },
  };
  app.post('/webhooks/:webhookId/replay', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const delivery = request.body?.delivery ?? null;
    const replayed = await webhooks.replay(request.params.webhookId, delivery);
    const isMissing = replayed === null || (delivery !== null && replayed === 0);
    return isMissing ? refuser.refuse(request, reply, refuse('not_found')) : { replayed };
  });
}
