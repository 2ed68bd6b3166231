/** `GET /v1/orders/{orderId}/events`: what becomes of an order, as server-sent events, to its buyer. */
import { ORDER_PARAMS, SHOW_ORDER } from '@sluice/contract';
import { isFinal } from '../../domain/order/order.ts';
import { refuse } from '../../domain/refusal.ts';
import { buyerOf } from '../authenticate.ts';
import { documented } from '../documented.ts';
import { readOffer } from '../order-answers.ts';
import { createOrderStreams, eventIdOf } from '../order-streams.ts';
import { API_HEADERS } from '../outcome-to-response.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'followOrder',
    summary: 'What becomes of an order, as it happens.',
    caller: 'buyer',
    texts: {
      200: {
        description: 'Server-sent events called `order`; the data of each is an Order.',
        mediaTypes: ['text/event-stream'],
      },
      204: { description: 'The last event has been told.', mediaTypes: [] },
    },
  }),
  params: ORDER_PARAMS,
  querystring: SHOW_ORDER,
  response: PROBLEMS,
};

export function addOrderEvents(app: HttpServer, deps: RouteDeps): void {
  const { engine, refuser, requireBuyer } = deps;
  const streams = createOrderStreams(deps);
  app.addHook('preClose', (done) => {
    streams.close();
    done();
  });
  // HEAD would wait for the end of the stream.
  const options = { schema, onRequest: requireBuyer, exposeHeadRoute: false };
  app.get('/v1/orders/:orderId/events', options, async (request, reply) => {
    const buyer = buyerOf(request);
    const { receipt } = request.query;
    const find = () => engine.findOrder(request.params.orderId, buyer, receipt);
    const order = await find();
    if (!order) return refuser.refuse(request, reply, refuse('not_found'));
    // A reader that reconnects by itself after the last event is told to stop.
    if (isFinal(order.state) && request.headers['last-event-id'] === eventIdOf(order)) {
      reply.hijack();
      reply.raw.writeHead(204, API_HEADERS).end();
      return reply;
    }
    if (!streams.hasRoom(buyer.buyerId)) return refuser.refuse(request, reply, refuse('busy'));
    const offer = await readOffer(engine, order.saleId);
    reply.hijack();
    streams.open(reply.raw, { order, offer, askUnsettled: receipt === undefined ? null : find }, request.log);
    return reply;
  });
}
