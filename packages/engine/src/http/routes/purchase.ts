/** `POST /v1/sales/{saleId}/purchases`: the purchase. The token is its idempotency key. */
import { PURCHASE, PURCHASE_ACCEPTED, SALE_PARAMS } from '@sluice/contract';
import { buyerOf } from '../authenticate.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'purchase',
    summary: 'Buys. The token is the idempotency key.',
    caller: 'buyer',
    reasons: [
      'token_invalid',
      'token_expired',
      'token_foreign',
      'not_started',
      'too_early',
      'over',
      'paused',
      'closed',
      'sold_out',
      'none_left_now',
      'not_enough_left',
      'over_limit',
      'content_differs',
      'not_ready',
      'late',
    ],
  }),
  params: SALE_PARAMS,
  body: PURCHASE,
  response: { 202: PURCHASE_ACCEPTED, ...PROBLEMS },
};

export function addPurchase(app: HttpServer, { engine, refuser, requireTry }: RouteDeps): void {
  app.post('/v1/sales/:saleId/purchases', { schema, onRequest: requireTry('gate') }, async (request, reply) => {
    const { saleId } = request.params;
    const { token, units: unitsWanted } = request.body;
    const outcome = await engine.purchase({ saleId, buyer: buyerOf(request), token, units: unitsWanted });
    if (outcome.kind === 'refused') return refuser.refuse(request, reply, outcome);

    const { orderId, status, units, isReplayed, receipt } = outcome;
    request.log.debug({ orderId, status }, 'purchase accepted');
    reply.code(202);
    return { orderId, status, units, replayed: isReplayed, receipt };
  });
}
