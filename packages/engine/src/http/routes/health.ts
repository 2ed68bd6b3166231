/** `/livez`: the process answers. `/readyz`: it may be sent buyers. */
import { HEALTH, READINESS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const live = {
  ...documented({ operationId: 'isLive', summary: 'The process answers.', caller: 'anyone', tag: 'health' }),
  response: { 200: HEALTH, ...PROBLEMS },
};

const ready = {
  ...documented({
    operationId: 'isReady',
    summary: 'It may be sent buyers.',
    caller: 'anyone',
    tag: 'health',
    reasons: ['not_ready'],
  }),
  response: { 200: READINESS, ...PROBLEMS },
};

export function addHealth(app: HttpServer, { isReady, settles, refuser }: RouteDeps): void {
  app.get('/livez', { schema: live }, async () => ({ status: 'live' as const }));
  app.get('/readyz', { schema: ready }, async (request, reply) => {
    if (!isReady()) return refuser.refuse(request, reply, refuse('not_ready'));
    const isSettling = settles?.() ?? null;
    if (isSettling === null) return { status: 'ready' as const };
    return { status: 'ready' as const, ledger: isSettling ? ('settles' as const) : ('stalled' as const) };
  });
}
