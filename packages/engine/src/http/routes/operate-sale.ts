/** `POST /v1/admin/sales/{saleId}/{publish,pause,resume,close}`: an operator changes the state of a sale. */
import { ADMIN_SALE, NO_CONTENT, SALE_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { NO_WALLET } from '../read-draft.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';
import { adminSaleAnswer } from '../sale-answers.ts';

const OPERATIONS = ['publish', 'pause', 'resume', 'close'] as const;

const SUMMARIES: Readonly<Record<(typeof OPERATIONS)[number], string>> = {
  publish: 'Shows a draft to buyers, and brings its stock to the gate.',
  pause: 'Stops new claims; what was claimed goes on.',
  resume: 'Sells again.',
  close: 'Stops new claims for good.',
};

function schemaOf(operation: (typeof OPERATIONS)[number]) {
  return {
    ...documented({
      operationId: `${operation}Sale`,
      summary: SUMMARIES[operation],
      caller: 'operator',
      isKeyed: true,
      reasons: ['wrong_state'],
    }),
    ...{ params: SALE_PARAMS, body: NO_CONTENT, headers: KEYED_HEADERS, response: { 200: ADMIN_SALE, ...PROBLEMS } },
  };
}

export function addOperateSale(app: HttpServer, { engine, clock, refuser, keyed }: RouteDeps): void {
  for (const operation of OPERATIONS) {
    app.post(
      `/sales/:saleId/${operation}`,
      { schema: schemaOf(operation), preHandler: keyed.ofOperator },
      async (request, reply) => {
        const { saleId } = request.params;
        const result = await engine.operateSale(saleId, operation);
        if (result.kind === 'absent') return refuser.refuse(request, reply, refuse('not_found'));
        if (result.kind === 'no_wallet') {
          return refuser.refuse(request, reply, refuse('wrong_state'), { detail: NO_WALLET });
        }
        if (result.kind === 'wrong_state') {
          const detail = `A sale that is ${result.sale.state} takes no ${operation}.`;
          return refuser.refuse(request, reply, refuse('wrong_state'), { detail });
        }
        if (result.kind === 'changed') request.log.info({ saleId, operation }, 'sale changed');
        return adminSaleAnswer(result.sale, clock.nowMs());
      },
    );
  }
}
