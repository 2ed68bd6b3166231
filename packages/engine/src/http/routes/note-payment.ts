/** `POST /v1/orders/{orderId}/payment`: the back end tells of money. What it says twice changes nothing. */
import { ORDER_PARAMS, PAYMENT_NOTED, PAYMENT_NOTICE } from '@sluice/contract';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'notePayment',
    summary: 'Tells of money: paid, failed or refunded, in any order.',
    caller: 'server',
    isKeyed: true,
    reasons: ['content_differs', 'amount_differs'],
  }),
  params: ORDER_PARAMS,
  headers: KEYED_HEADERS,
  body: PAYMENT_NOTICE,
  response: { 200: PAYMENT_NOTED, ...PROBLEMS },
};

const DIFFERS = 'This reference was used before, for another order or amount.';

/** It may be on its way from a gate, which finds orders by their buyer only. */
const UNKNOWN =
  'No order of this id is in the ledger yet. What was told of it is kept for good, and counts when the order comes; when none is on its way, the id is wrong.';

export function addNotePayment(app: HttpServer, { engine, refuser, requireServer, keyed }: RouteDeps): void {
  app.post(
    '/v1/orders/:orderId/payment',
    { schema, onRequest: requireServer, preHandler: keyed.ofServer },
    async (request, reply) => {
      const { orderId } = request.params;
      const { reference, outcome, amount = null } = request.body;
      const noted = await engine.notePayment({ orderId, reference, outcome, amount });
      if (noted.kind === 'refused') {
        if (noted.reason === 'content_differs') return refuser.refuse(request, reply, noted, { detail: DIFFERS });
        const what = outcome === 'refunded' ? 'A refund is of a whole payment, which was' : 'The order costs';
        return refuser.refuse(request, reply, noted, { detail: `${what} ${noted.amountDue}, not ${amount}.` });
      }
      const { payment, order, isRepeated } = noted;
      if (!isRepeated) request.log.info({ orderId, outcome, payment: payment.state }, 'payment noted');
      return {
        orderId,
        reference,
        outcome,
        payment: payment.state,
        status: order?.state ?? null,
        repeated: isRepeated,
        ...(order === null && { note: UNKNOWN }),
      };
    },
  );
}
