/** `POST /v1/admin/sales`: a draft, its stock received. The same id again is refused, whatever it says. */
import { ADMIN_SALE, CREATE_SALE } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { type JoinDecision, MAX_SALES_PER_GROUP } from '../../domain/sale/limit-scope.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { NO_WALLET, readDraft } from '../read-draft.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { adminSaleAnswer } from '../sale-answers.ts';

const schema = {
  ...documented({
    operationId: 'createSale',
    summary: 'A draft, with its stock.',
    caller: 'operator',
    isKeyed: true,
    reasons: ['exists', 'wrong_state', 'group_differs'],
  }),
  headers: KEYED_HEADERS,
  body: CREATE_SALE,
  response: { 201: ADMIN_SALE, ...PROBLEMS },
};

export function addCreateSale(app: HttpServer, { engine, clock, refuser, keyed }: RouteDeps): void {
  app.post('/sales', { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
    const reading = readDraft(request.body);
    if (reading.kind === 'mistake') {
      return refuser.refuse(request, reply, refuse('bad_request'), { detail: reading.sentence });
    }
    const { draft } = reading;
    const result = await engine.createSale(draft);
    if (result.kind === 'no_wallet')
      return refuser.refuse(request, reply, refuse('wrong_state'), { detail: NO_WALLET });
    if (result.kind === 'exists') {
      const detail = `A sale ${draft.id} exists; it is ${result.sale.state}.`;
      return refuser.refuse(request, reply, refuse('exists'), { detail });
    }
    if (result.kind !== 'created') {
      return refuser.refuse(request, reply, refuse('group_differs'), { detail: whyNotInGroup(result) });
    }
    request.log.info({ saleId: draft.id, totalUnits: draft.totalUnits }, 'sale created');
    reply.code(201);
    return adminSaleAnswer(result.sale, clock.nowMs());
  });
}

function whyNotInGroup({ kind, terms }: Exclude<JoinDecision, { readonly kind: 'joined' }>): string {
  if (kind === 'group_full') return `A limit group has at most ${MAX_SALES_PER_GROUP} sales.`;
  const { limitUnits, segmentCount } = terms;
  return `The sales of this group have a limit of ${limitUnits}, and ${segmentCount} segments; this one would have others.`;
}
