/**
 * `POST /v1/admin/sales/{saleId}/stock`: more units, or fewer, as a delta with an id; the same id again changes nothing. More
 * than is unsold is not withdrawn in part: it is refused whole, with what there is.
 */
import { RECEIVE_STOCK, SALE_PARAMS, STOCK } from '@sluice/contract';
import type { StockChange } from '../../domain/inventory/decide-stock.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { ServedEngine } from '../deps.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import type { RefusalNotes } from '../outcome-to-response.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'receiveStock',
    summary: 'More units, or fewer, once per delivery id.',
    caller: 'operator',
    isKeyed: true,
    reasons: ['content_differs', 'wrong_state', 'not_enough_left', 'not_ready'],
  }),
  params: SALE_PARAMS,
  headers: KEYED_HEADERS,
  body: RECEIVE_STOCK,
  response: { 200: STOCK, ...PROBLEMS },
};

type Answer =
  | { readonly kind: 'changed'; readonly isRepeated: boolean; readonly totalUnits: number }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly notes?: RefusalNotes };

export function addReceiveStock(app: HttpServer, { engine, refuser, keyed }: RouteDeps): void {
  app.post('/sales/:saleId/stock', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const { saleId } = request.params;
    const { id, delta } = request.body;
    const answer = await (delta > 0
      ? receive(engine, saleId, { id, units: delta })
      : withdraw(engine, saleId, { id, units: -delta }));
    if (answer.kind === 'refused') return refuser.refuse(request, reply, answer.refusal, answer.notes);
    request.log.info({ saleId, delivery: id, delta, repeated: answer.isRepeated }, 'stock changed');
    return { id, delta, repeated: answer.isRepeated, totalUnits: answer.totalUnits };
  });
}

async function receive(engine: ServedEngine, saleId: string, change: StockChange): Promise<Answer> {
  const result = await engine.receiveStock(saleId, change);
  switch (result.kind) {
    case 'absent':
    case 'content_differs':
    case 'wrong_state':
      return refused(result.kind, change.id);
    case 'too_many': {
      const detail = `The sale has ${result.centre.totalUnits} units, and no sale has more than ${Number.MAX_SAFE_INTEGER}.`;
      return { kind: 'refused', refusal: refuse('bad_request'), notes: { detail } };
    }
    case 'received':
    case 'repeated':
      return { kind: 'changed', isRepeated: result.kind === 'repeated', totalUnits: result.centre.totalUnits };
  }
}

async function withdraw(engine: ServedEngine, saleId: string, { id, units }: StockChange): Promise<Answer> {
  const result = await engine.withdrawStock({ saleId, delivery: id, units });
  switch (result.kind) {
    case 'absent':
    case 'content_differs':
    case 'wrong_state':
      return refused(result.kind, id);
    case 'not_enough': {
      const { unsoldUnits } = result;
      const detail = `${unsoldUnits} units are free; ${units} were to be withdrawn, and none was.`;
      return { kind: 'refused', refusal: refuse('not_enough_left', { leftUnits: unsoldUnits }), notes: { detail } };
    }
    case 'unfinished':
      return {
        kind: 'refused',
        refusal: refuse('not_ready'),
        notes: { detail: 'Units are still being gathered; ask again under the same id to hear how it ended.' },
      };
    case 'withdrawn':
    case 'repeated':
      return { kind: 'changed', isRepeated: result.kind === 'repeated', totalUnits: result.centre.totalUnits };
  }
}

function refused(kind: 'absent' | 'content_differs' | 'wrong_state', id: string): Answer {
  switch (kind) {
    case 'absent':
      return { kind: 'refused', refusal: refuse('not_found') };
    case 'content_differs':
      return {
        kind: 'refused',
        refusal: refuse('content_differs'),
        notes: { detail: `Another number of units was received or withdrawn under ${id}.` },
      };
    case 'wrong_state':
      return {
        kind: 'refused',
        refusal: refuse('wrong_state'),
        notes: { detail: 'The stock of a sale that is closed changes no more.' },
      };
  }
}
