/** `PATCH /v1/admin/sales/{saleId}`: changes of the named fields, by whoever has seen the sale's latest version. */
import { ADMIN_SALE, PATCH_SALE, SALE_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { readWindow } from '../../domain/sale/read-window.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { adminSaleAnswer } from '../sale-answers.ts';

const schema = {
  ...documented({
    operationId: 'patchSale',
    summary: 'Changes the named fields of a sale, by its latest version.',
    caller: 'operator',
    isKeyed: true,
    reasons: ['stale_version', 'wrong_state'],
  }),
  params: SALE_PARAMS,
  headers: KEYED_HEADERS,
  body: PATCH_SALE,
  response: { 200: ADMIN_SALE, ...PROBLEMS },
};

export function addPatchSale(app: HttpServer, { engine, clock, refuser, keyed }: RouteDeps): void {
  app.patch('/sales/:saleId', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const { saleId } = request.params;
    const { version, title, holdMs, ...wish } = request.body;
    const sale = await engine.showSale(saleId);
    if (!sale) return refuser.refuse(request, reply, refuse('not_found'));
    // A zone that somebody changes meanwhile comes with another version.
    const reading = readWindow(wish, sale.timeZone);
    if (reading.kind === 'mistake') {
      return refuser.refuse(request, reply, refuse('bad_request'), { detail: reading.sentence });
    }
    const patch = { ...reading.window, ...(title !== undefined && { title }), ...(holdMs !== undefined && { holdMs }) };
    const result = await engine.patchSale({ saleId, version, patch });
    switch (result.kind) {
      case 'absent':
        return refuser.refuse(request, reply, refuse('not_found'));
      case 'stale_version': {
        const detail = `The sale is at version ${result.sale.version} now; read it again.`;
        return refuser.refuse(request, reply, refuse('stale_version'), { detail });
      }
      case 'bad_window':
        return refuser.refuse(request, reply, refuse('bad_request'), { detail: 'endsAtMs must be after startsAtMs.' });
      case 'wrong_state':
        return refuser.refuse(request, reply, refuse('wrong_state'), { detail: `The sale is ${result.sale.state}.` });
      case 'patched':
        request.log.info({ saleId, version: result.sale.version }, 'sale patched');
        return adminSaleAnswer(result.sale, clock.nowMs());
    }
  });
}
