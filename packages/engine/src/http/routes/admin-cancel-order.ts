/** `POST /v1/admin/orders/{orderId}/cancel`: an operator ends an unpaid order, whoever's it is. Again is the same. */
import { ADMIN_ORDER, CANCEL_ORDER, CANCEL_WAITS, ORDER_PARAMS } from '@sluice/contract';
import { adminOrderAnswer, readOffer } from '../order-answers.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  params: ORDER_PARAMS,
  body: CANCEL_ORDER,
  response: { 200: ADMIN_ORDER, 202: CANCEL_WAITS, ...PROBLEMS },
};

export function addAdminCancelOrder(app: HttpServer, { engine, refuser }: RouteDeps): void {
  app.post('/orders/:orderId/cancel', { schema }, async (request, reply) => {
    const { orderId } = request.params;
    const answer = await engine.cancelOrder({ orderId, buyerId: null, receipt: request.body?.receipt ?? null });
    switch (answer.kind) {
      case 'refused':
        return refuser.refuse(request, reply, answer);
      case 'accepted':
        reply.code(202);
        return { orderId, status: 'queued' as const };
      case 'cancelled':
        if (!answer.isRepeated) request.log.info({ orderId }, 'order cancelled by an operator');
        return adminOrderAnswer(answer.order, await readOffer(engine, answer.order.saleId));
    }
  });
}
