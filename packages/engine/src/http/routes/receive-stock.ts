/** `POST /v1/admin/sales/{saleId}/stock`: more units, as a delta with an id; the same id again adds nothing. */
import { RECEIVE_STOCK, SALE_PARAMS, STOCK } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'receiveStock',
    summary: 'More units, once per delivery id.',
    caller: 'operator',
    isKeyed: true,
    reasons: ['content_differs', 'wrong_state'],
  }),
  params: SALE_PARAMS,
  headers: KEYED_HEADERS,
  body: RECEIVE_STOCK,
  response: { 200: STOCK, ...PROBLEMS },
};

export function addReceiveStock(app: HttpServer, { engine, refuser, keyed }: RouteDeps): void {
  app.post('/sales/:saleId/stock', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const { saleId } = request.params;
    const { id, delta } = request.body;
    const result = await engine.receiveStock(saleId, { id, units: delta });
    switch (result.kind) {
      case 'absent':
        return refuser.refuse(request, reply, refuse('not_found'));
      case 'content_differs':
        return refuser.refuse(request, reply, refuse('content_differs'), {
          detail: `Another number of units was received under ${id}.`,
        });
      case 'wrong_state':
        return refuser.refuse(request, reply, refuse('wrong_state'), {
          detail: 'A sale that is closed receives nothing.',
        });
      case 'received':
      case 'repeated':
        request.log.info({ saleId, delivery: id, delta, repeated: result.kind === 'repeated' }, 'stock received');
        return { id, delta, repeated: result.kind === 'repeated', totalUnits: result.centre.totalUnits };
    }
  });
}
