/** `POST /v1/admin/orders/{orderId}/cancel`: an operator ends an unpaid order, whoever's it is. Again is the same. */
import { ADMIN_ORDER, CANCEL_ORDER, CANCEL_WAITS, ORDER_PARAMS } from '@sluice/contract';
import type { Order } from '../../domain/order/order.ts';
import { tellCancel } from '../cancel-answer.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { adminOrderAnswer, readOffer } from '../order-answers.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'cancelAnyOrder',
    summary: "Ends an unpaid order, whoever's it is.",
    caller: 'operator',
    isKeyed: true,
    reasons: ['wrong_state'],
  }),

  params: ORDER_PARAMS,
  headers: KEYED_HEADERS,
  body: CANCEL_ORDER,
  response: { 200: ADMIN_ORDER, 202: CANCEL_WAITS, ...PROBLEMS },
};

export function addAdminCancelOrder(app: HttpServer, { engine, refuser, keyed }: RouteDeps): void {
  const teller = {
    refuser,
    by: 'an operator',
    show: async (order: Order) => adminOrderAnswer(order, await readOffer(engine, order.saleId)),
  };
  app.post('/orders/:orderId/cancel', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const { orderId } = request.params;
    const answer = await engine.cancelOrder({ orderId, buyer: null, receipt: request.body?.receipt ?? null });
    return tellCancel(teller, { request, reply, orderId }, answer);
  });
}
