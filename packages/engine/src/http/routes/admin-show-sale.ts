/** `GET /v1/admin/sales/{saleId}`: one sale, drafts too. */
import { ADMIN_SALE, SALE_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { adminSaleAnswer } from '../sale-answers.ts';

const schema = {
  ...documented({
    operationId: 'showAnySale',
    summary: 'A sale, a draft too.',
    caller: 'operator',
  }),
  params: SALE_PARAMS,
  response: { 200: ADMIN_SALE, ...PROBLEMS },
};

export function addAdminShowSale(app: HttpServer, { engine, clock, refuser }: RouteDeps): void {
  app.get('/sales/:saleId', { schema }, async (request, reply) => {
    const sale = await engine.showSale(request.params.saleId);
    if (!sale) return refuser.refuse(request, reply, refuse('not_found'));
    return adminSaleAnswer(sale, clock.nowMs());
  });
}
