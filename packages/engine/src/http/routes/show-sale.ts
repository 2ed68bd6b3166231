/** `GET /v1/sales/{saleId}`: one published sale. */
import { SALE, SALE_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { saleAnswer } from '../sale-answers.ts';

const schema = {
  ...documented({
    operationId: 'showSale',
    summary: 'A published sale.',
    caller: 'anyone',
  }),
  params: SALE_PARAMS,
  response: { 200: SALE, ...PROBLEMS },
};

export function addShowSale(app: HttpServer, { engine, clock, refuser, limitAddress }: RouteDeps): void {
  app.get('/v1/sales/:saleId', { schema, onRequest: limitAddress }, async (request, reply) => {
    const sale = await engine.findSale(request.params.saleId);
    if (!sale) return refuser.refuse(request, reply, refuse('not_found'));
    const unitsLeft = await engine.hasUnitsLeft(sale.id);
    return { ...saleAnswer(sale, clock.nowMs()), unitsLeft };
  });
}
