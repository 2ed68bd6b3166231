/** `GET /v1/admin/orders/{orderId}`: an order, what was told of its money, and what happened to it. */
import { ADMIN_ORDER_DETAILS, ORDER_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { adminOrderAnswer, readOffer } from '../order-answers.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'showAnyOrder',
    summary: 'An order, its payments, and what happened to it.',
    caller: 'operator',
  }),
  params: ORDER_PARAMS,
  response: { 200: ADMIN_ORDER_DETAILS, ...PROBLEMS },
};

export function addAdminShowOrder(app: HttpServer, { engine, refuser }: RouteDeps): void {
  app.get('/orders/:orderId', { schema }, async (request, reply) => {
    const order = await engine.showOrder(request.params.orderId);
    if (!order) return refuser.refuse(request, reply, refuse('not_found'));
    const events = await engine.orderHistory(order.orderId);
    const history = events.map(({ type, state, atMs }) => ({ type, status: state, atMs }));
    const told = await engine.orderPayments(order.orderId);
    const payments = told.map(({ reference, outcome, amount, state }) => ({ reference, outcome, amount, state }));
    return { ...adminOrderAnswer(order, await readOffer(engine, order.saleId)), payments, history };
  });
}
