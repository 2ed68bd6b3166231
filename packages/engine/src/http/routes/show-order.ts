/**
 * `GET /v1/orders/{orderId}`: an order, to its buyer. Another's order and none at all are the same answer; with the receipt of its
 * claim, one that was lost with its gate is told from one that never was.
 */
import { ORDER, ORDER_PARAMS, SHOW_ORDER } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { buyerOf } from '../authenticate.ts';
import { documented } from '../documented.ts';
import { orderAnswer, readOffer } from '../order-answers.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'showOrder',
    summary: 'An order, to its buyer.',
    caller: 'buyer',
  }),
  params: ORDER_PARAMS,
  querystring: SHOW_ORDER,
  response: { 200: ORDER, ...PROBLEMS },
};

export function addShowOrder(app: HttpServer, { engine, refuser, requireBuyer }: RouteDeps): void {
  app.get('/v1/orders/:orderId', { schema, onRequest: requireBuyer }, async (request, reply) => {
    const order = await engine.findOrder(request.params.orderId, buyerOf(request), request.query.receipt);
    if (!order) return refuser.refuse(request, reply, refuse('not_found'));
    return orderAnswer(order, await readOffer(engine, order.saleId));
  });
}
