/** `POST /v1/admin/sales/{saleId}/settle`: ends a closed sale for good, or says what in it is still open. */
import { ADMIN_SALE, NO_CONTENT, SALE_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { sayOpenMatters } from '../../domain/sale/decide-settle.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { adminSaleAnswer } from '../sale-answers.ts';

const schema = {
  ...documented({
    operationId: 'settleSale',
    summary: 'Ends a closed sale for good, when nothing in it is open any more.',
    caller: 'operator',
    isKeyed: true,
    reasons: ['wrong_state', 'still_open'],
  }),
  ...{ params: SALE_PARAMS, body: NO_CONTENT, headers: KEYED_HEADERS, response: { 200: ADMIN_SALE, ...PROBLEMS } },
};

export function addSettleSale(app: HttpServer, { engine, clock, refuser, keyed }: RouteDeps): void {
  app.post('/sales/:saleId/settle', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const { saleId } = request.params;
    const result = await engine.settleSale(saleId);
    switch (result.kind) {
      case 'absent':
        return refuser.refuse(request, reply, refuse('not_found'));
      case 'wrong_state': {
        const detail = `A sale that is ${result.sale.state} is not settled; close it first.`;
        return refuser.refuse(request, reply, refuse('wrong_state'), { detail });
      }
      case 'still_open':
        return refuser.refuse(request, reply, refuse('still_open'), { detail: sayOpenMatters(result.open) });
      case 'changed':
        request.log.info({ saleId }, 'sale settled');
        return adminSaleAnswer(result.sale, clock.nowMs());
      case 'repeated':
        return adminSaleAnswer(result.sale, clock.nowMs());
    }
  });
}
