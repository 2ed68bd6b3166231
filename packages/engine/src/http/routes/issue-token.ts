/** `POST /v1/sales/{saleId}/token`: leave to try, for a buyer. */
import { NO_CONTENT, SALE_PARAMS, TOKEN } from '@sluice/contract';
import { buyerOf } from '../authenticate.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS, keyOf } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'issueToken',
    summary: 'Leave to try, and the id of the order to be.',
    caller: 'buyer',
    reasons: ['closed', 'over', 'sold_out', 'none_left_now', 'over_limit'],
  }),
  params: SALE_PARAMS,
  headers: KEYED_HEADERS,
  body: NO_CONTENT,
  response: { 200: TOKEN, ...PROBLEMS },
};

export function addIssueToken(app: HttpServer, { engine, refuser, requireTry }: RouteDeps): void {
  app.post('/v1/sales/:saleId/token', { schema, onRequest: requireTry('token') }, async (request, reply) => {
    const issued = await engine.issueToken(request.params.saleId, buyerOf(request), keyOf(request));
    if (issued.kind === 'refused') return refuser.refuse(request, reply, issued);
    const { token, orderId, earliestMs, latestMs, serverTimeMs } = issued;
    return { token, orderId, earliestMs, latestMs, serverTimeMs };
  });
}
