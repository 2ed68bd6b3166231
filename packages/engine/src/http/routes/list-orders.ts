/** `GET /v1/orders`: a buyer's own orders, oldest first. */
import { LIST_ORDERS, ORDER_PAGE } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { buyerOf } from '../authenticate.ts';
import { documented } from '../documented.ts';
import { answersFor, orderAnswer } from '../order-answers.ts';
import { NO_CURSOR_OF_OURS, pageAsked } from '../order-page.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'listOrders',
    summary: "The buyer's own orders, oldest first.",
    caller: 'buyer',
  }),
  querystring: LIST_ORDERS,
  response: { 200: ORDER_PAGE, ...PROBLEMS },
};

export function addListOrders(app: HttpServer, { engine, refuser, requireBuyer }: RouteDeps): void {
  app.get('/v1/orders', { schema, onRequest: requireBuyer }, async (request, reply) => {
    const asked = pageAsked(request.query);
    if (!asked) return refuser.refuse(request, reply, refuse('bad_request'), { detail: NO_CURSOR_OF_OURS });
    const { buyerId } = buyerOf(request);
    const { orders, next } = await engine.listOrders({ buyerId }, asked.cursor, asked.max);
    return { orders: [...(await answersFor(engine, orders, orderAnswer))], next };
  });
}
