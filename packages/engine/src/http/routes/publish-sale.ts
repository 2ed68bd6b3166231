/** `POST /v1/admin/sales/{saleId}/publish`: a draft goes live. */
import { ADMIN_SALE, NO_CONTENT, SALE_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { adminSaleAnswer } from '../sale-answers.ts';

const schema = { params: SALE_PARAMS, body: NO_CONTENT, response: { 200: ADMIN_SALE, ...PROBLEMS } };

export function addPublishSale(app: HttpServer, { engine, clock, refuser }: RouteDeps): void {
  app.post('/sales/:saleId/publish', { schema }, async (request, reply) => {
    const { saleId } = request.params;
    const result = await engine.publishSale(saleId);
    switch (result.kind) {
      case 'absent':
        return refuser.refuse(request, reply, refuse('not_found'));
      case 'wrong_state':
        return refuser.refuse(request, reply, refuse('wrong_state'), { detail: `The sale is ${result.sale.state}.` });
      case 'changed':
        request.log.info({ saleId }, 'sale published');
        return adminSaleAnswer(result.sale, clock.nowMs());
    }
  });
}
