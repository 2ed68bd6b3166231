/** `POST /v1/orders/{orderId}/fulfilment`: the back end has delivered what a paid order is for. Again is the same. */
import { NO_CONTENT, ORDER_FULFILLED, ORDER_PARAMS } from '@sluice/contract';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'fulfilOrder',
    summary: 'Tells that a paid order was delivered.',
    caller: 'server',
    isKeyed: true,
    reasons: ['wrong_state'],
  }),
  params: ORDER_PARAMS,
  headers: KEYED_HEADERS,
  body: NO_CONTENT,
  response: { 200: ORDER_FULFILLED, ...PROBLEMS },
};

const NOT_PAID = 'Only a paid order is fulfilled.';

export function addFulfilOrder(app: HttpServer, { engine, refuser, requireServer, keyed }: RouteDeps): void {
  app.post(
    '/v1/orders/:orderId/fulfilment',
    { schema, onRequest: requireServer, preHandler: keyed.ofServer },
    async (request, reply) => {
      const { orderId } = request.params;
      const answer = await engine.fulfilOrder(orderId);
      if (answer.kind === 'refused') {
        const explained = answer.reason === 'wrong_state' ? { detail: NOT_PAID } : {};
        return refuser.refuse(request, reply, answer, explained);
      }
      if (!answer.isRepeated) request.log.info({ orderId }, 'order fulfilled');
      return { orderId, status: answer.order.state, repeated: answer.isRepeated };
    },
  );
}
