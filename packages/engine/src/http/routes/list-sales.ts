/** `GET /v1/sales`: what is published. Open to everybody, and asked for by every page at once. */
import { SALE_LIST } from '@sluice/contract';
import type { Sale } from '../../domain/sale/sale.ts';
import { createHotEntries } from '../../funnel/gateway/hot-entries.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { saleAnswer } from '../sale-answers.ts';

const schema = {
  ...documented({
    operationId: 'listSales',
    summary: 'What is published.',
    caller: 'anyone',
  }),
  response: { 200: SALE_LIST, ...PROBLEMS },
};

/** One reading of the ledger serves all who come within a moment. */
const LIST_ENTRIES = { freshMs: 200, staleMs: 1_000, maxKeys: 1 };

export function addListSales(app: HttpServer, { engine, clock, limitAddress }: RouteDeps): void {
  const lists = createHotEntries<readonly Sale[]>(clock, () => engine.listSales(), LIST_ENTRIES);
  app.get('/v1/sales', { schema, onRequest: limitAddress }, async () => {
    const sales = (await lists.get('published')) ?? [];
    const nowMs = clock.nowMs();
    return { sales: sales.map((sale) => saleAnswer(sale, nowMs)) };
  });
}
