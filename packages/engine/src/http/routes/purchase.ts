/** `POST /v1/sales/{saleId}/purchases`: the purchase. The token is its idempotency key. */
import { PURCHASE, PURCHASE_ACCEPTED, SALE_PARAMS } from '@sluice/contract';
import { buyerOf } from '../authenticate.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = { params: SALE_PARAMS, body: PURCHASE, response: { 202: PURCHASE_ACCEPTED, ...PROBLEMS } };

export function addPurchase(app: HttpServer, { engine, refuser, requireTry }: RouteDeps): void {
  app.post('/v1/sales/:saleId/purchases', { schema, onRequest: requireTry }, async (request, reply) => {
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
