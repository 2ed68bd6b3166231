/** `POST /v1/orders/{orderId}/cancel`: the buyer does not want it any more. Again is the same. */
import { CANCEL_ORDER, CANCEL_WAITS, ORDER, ORDER_PARAMS } from '@sluice/contract';
import type { Order } from '../../domain/order/order.ts';
import { buyerOf } from '../authenticate.ts';
import { tellCancel } from '../cancel-answer.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { orderAnswer, readOffer } from '../order-answers.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'cancelOrder',
    summary: 'The buyer does not want an unpaid order any more.',
    caller: 'buyer',
    isKeyed: true,
    reasons: ['wrong_state'],
  }),

  params: ORDER_PARAMS,
  headers: KEYED_HEADERS,
  body: CANCEL_ORDER,
  response: { 200: ORDER, 202: CANCEL_WAITS, ...PROBLEMS },
};

export function addCancelOrder(app: HttpServer, { engine, refuser, requireBuyer, keyed }: RouteDeps): void {
  const teller = {
    refuser,
    by: 'its buyer',
    show: async (order: Order) => orderAnswer(order, await readOffer(engine, order.saleId)),
  };
  app.post(
    '/v1/orders/:orderId/cancel',
    { schema, onRequest: requireBuyer, preHandler: keyed.ofBuyer },
    async (request, reply) => {
      const { orderId } = request.params;
      const receipt = request.body?.receipt ?? null;
      const answer = await engine.cancelOrder({ orderId, buyer: buyerOf(request), receipt });
      return tellCancel(teller, { request, reply, orderId }, answer);
    },
  );
}
