/** `GET /v1/admin/sales`: every sale, drafts too, with what only operators see. */
import { ADMIN_SALE_LIST } from '@sluice/contract';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { adminSaleAnswer } from '../sale-answers.ts';

const schema = {
  ...documented({
    operationId: 'listAllSales',
    summary: 'Every sale, drafts too.',
    caller: 'operator',
  }),
  response: { 200: ADMIN_SALE_LIST, ...PROBLEMS },
};

export function addAdminListSales(app: HttpServer, { engine, clock }: RouteDeps): void {
  app.get('/sales', { schema }, async () => {
    const sales = await engine.listAllSales();
    const nowMs = clock.nowMs();
    return { sales: sales.map((sale) => adminSaleAnswer(sale, nowMs)) };
  });
}
