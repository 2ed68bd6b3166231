/** `POST /v1/bulk/purchases`: purchases that a back end makes for its buyers, each with an outcome of its own. */
import { BULK_OUTCOMES, BULK_PURCHASES, type BulkOutcome } from '@sluice/contract';
import { isBuyerId } from '../../domain/ids.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../../domain/inventory/quota.ts';
import { refuse } from '../../domain/refusal.ts';
import type { BulkAnswer } from '../../funnel/bulk-purchase.ts';
import { documented } from '../documented.ts';
import { MAX_BULK_BODY_BYTES } from '../limits.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'purchaseInBulk',
    summary: 'Buys for many buyers, each with an outcome of its own.',
    caller: 'server',
  }),
  body: BULK_PURCHASES,
  response: { 200: BULK_OUTCOMES, ...PROBLEMS },
};

/** There is one server key, and so one back end. */
const CALLER = 'server';

export function addBulkPurchase(app: HttpServer, { engine, refuser, requireServer }: RouteDeps): void {
  const options = { schema, onRequest: requireServer, bodyLimit: MAX_BULK_BODY_BYTES };
  app.post('/v1/bulk/purchases', options, async (request, reply) => {
    const { items } = request.body;
    const wrong = items.findIndex(({ buyer }) => !isBuyerId(buyer));
    if (wrong >= 0) {
      return refuser.refuse(request, reply, refuse('bad_request'), { detail: `items.${wrong}.buyer cannot be an id.` });
    }
    const answers = await engine.bulkPurchase(
      CALLER,
      items.map(({ buyer, ...item }) => ({
        ...item,
        buyer: { buyerId: buyer, region: HOME_REGION, channel: MAIN_CHANNEL },
      })),
    );
    return { outcomes: answers.map(outcomeOf) };
  });
}

function outcomeOf({ orderId, answer }: BulkAnswer): BulkOutcome {
  if (answer.kind === 'accepted') {
    const { status, units, isReplayed, receipt } = answer;
    return { outcome: 'accepted', orderId, status, units, replayed: isReplayed, receipt };
  }
  const { reason, retryAtMs, retryAfterMs, liveOrderIds, leftUnits } = answer;
  return {
    ...{ outcome: 'refused', orderId, reason },
    ...(retryAtMs !== undefined && { retryAtMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(liveOrderIds !== undefined && { liveOrderIds: [...liveOrderIds] }),
    ...(leftUnits !== undefined && { left: leftUnits }),
  };
}
