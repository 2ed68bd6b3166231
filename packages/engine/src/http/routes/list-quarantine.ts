/** `GET /v1/admin/quarantine`: what was set aside for a person, claims and entries of the queue in one list. */
import { LIST_QUARANTINE, QUARANTINE_PAGE } from '@sluice/contract';
import type { SetAside } from '../../ports/quarantine.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const DEFAULT_LIMIT = 20;

const schema = {
  ...documented({
    operationId: 'listQuarantine',
    summary:
      'A page of what was set aside for a person: claims that the ledger refuses, and entries that nobody can read.',
    caller: 'operator',
  }),
  querystring: LIST_QUARANTINE,
  response: { 200: QUARANTINE_PAGE, ...PROBLEMS },
};

export function addListQuarantine(app: HttpServer, { engine }: RouteDeps): void {
  app.get('/quarantine', { schema }, async (request) => {
    const { after = null, limit } = request.query;
    const max = limit === undefined ? DEFAULT_LIMIT : Number(limit);
    // One more than asked for tells whether there is a next page.
    const found = await engine.quarantine.list(after, max + 1);
    const page = found.slice(0, max);
    return { quarantine: page.map(answerOf), next: found.length > max ? (page.at(-1)?.id ?? null) : null };
  });
}

function answerOf({ id, saleId, units, reason, what }: SetAside) {
  const common = { id, kind: what.kind, saleId, units, reason };
  return what.kind === 'claim'
    ? { ...common, orderId: what.claim.orderId, buyer: what.claim.buyerId, text: null }
    : { ...common, orderId: null, buyer: null, text: what.entry.text };
}
