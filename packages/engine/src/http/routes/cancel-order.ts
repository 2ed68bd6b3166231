/** `POST /v1/orders/{orderId}/cancel`: the buyer does not want it any more. Again is the same. */
import { CANCEL_ORDER, CANCEL_WAITS, ORDER, ORDER_PARAMS } from '@sluice/contract';
import { buyerOf } from '../authenticate.ts';
import { orderAnswer, readOffer } from '../order-answers.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  params: ORDER_PARAMS,
  body: CANCEL_ORDER,
  response: { 200: ORDER, 202: CANCEL_WAITS, ...PROBLEMS },
};

export function addCancelOrder(app: HttpServer, { engine, refuser, requireBuyer }: RouteDeps): void {
  app.post('/v1/orders/:orderId/cancel', { schema, onRequest: requireBuyer }, async (request, reply) => {
    const { orderId } = request.params;
    const { buyerId } = buyerOf(request);
    const answer = await engine.cancelOrder({ orderId, buyerId, receipt: request.body?.receipt ?? null });
    switch (answer.kind) {
      case 'refused':
        return refuser.refuse(request, reply, answer);
      case 'accepted':
        reply.code(202);
        return { orderId, status: 'queued' as const };
      case 'cancelled':
        if (!answer.isRepeated) request.log.info({ orderId }, 'order cancelled by its buyer');
        return orderAnswer(answer.order, await readOffer(engine, answer.order.saleId));
    }
  });
}
