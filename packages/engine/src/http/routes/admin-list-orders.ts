/** `GET /v1/admin/sales/{saleId}/orders`: a page of a sale's orders as JSON, or all of them as CSV or NDJSON. */
import { Readable } from 'node:stream';
import { ADMIN_LIST_ORDERS, ADMIN_ORDER_PAGE, SALE_PARAMS } from '@sluice/contract';
import type { OrderCursor } from '../../domain/order/order-cursor.ts';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { adminOrderAnswer, answersFor } from '../order-answers.ts';
import { EXPORT_MEDIA_TYPES, EXPORT_PAGE, type ExportFormat, exportOrders } from '../order-export.ts';
import { NO_CURSOR_OF_OURS, pageAsked } from '../order-page.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'listOrdersOfSale',
    summary: "A page of a sale's orders, or all of them as a stream.",
    caller: 'operator',
    texts: {
      200: {
        description: 'A page as JSON; all orders as CSV or NDJSON, as they are read.',
        mediaTypes: ['text/csv', 'application/x-ndjson'],
      },
    },
  }),

  params: SALE_PARAMS,
  querystring: ADMIN_LIST_ORDERS,
  response: { 200: ADMIN_ORDER_PAGE, ...PROBLEMS },
};

export function addAdminListOrders(app: HttpServer, { engine, refuser }: RouteDeps): void {
  // HEAD would read every page for nothing.
  app.get('/sales/:saleId/orders', { schema, exposeHeadRoute: false }, async (request, reply) => {
    const { state, buyer, format, ...page } = request.query;
    const asked = pageAsked(page);
    if (!asked) return refuser.refuse(request, reply, refuse('bad_request'), { detail: NO_CURSOR_OF_OURS });
    const { saleId } = request.params;
    const sale = await engine.showSale(saleId);
    if (!sale) return refuser.refuse(request, reply, refuse('not_found'));

    const filter = { saleId, ...(state !== undefined && { state }), ...(buyer !== undefined && { buyerId: buyer }) };
    const wanted = format ?? formatAccepted(request.headers.accept);
    if (wanted === 'json') {
      const { orders, next } = await engine.listOrders(filter, asked.cursor, asked.max);
      return { orders: [...(await answersFor(engine, orders, adminOrderAnswer))], next };
    }
    const source = {
      ...{ offer: sale.offer, format: wanted },
      readPage: (cursor: OrderCursor | null) => engine.listOrders(filter, cursor ?? asked.cursor, EXPORT_PAGE),
    };
    const pages = exportOrders(source);
    reply.type(EXPORT_MEDIA_TYPES[wanted]);
    reply.header('Content-Disposition', `attachment; filename="${saleId}.${wanted}"`);
    // The type of a stream is not that of the page that is promised beside it.
    return reply.send(Readable.from(pages) as never);
  });
}

function formatAccepted(accept = ''): ExportFormat | 'json' {
  if (/\btext\/csv\b/i.test(accept)) return 'csv';
  return /\bapplication\/x-ndjson\b/i.test(accept) ? 'ndjson' : 'json';
}
