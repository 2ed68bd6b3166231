/** `/livez`: the process answers. `/readyz`: it may be sent buyers. */
import { HEALTH } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const answers = { response: { 200: HEALTH, ...PROBLEMS } };

const live = {
  ...documented({ operationId: 'isLive', summary: 'The process answers.', caller: 'anyone', tag: 'health' }),
  ...answers,
};

const ready = {
  ...documented({
    operationId: 'isReady',
    summary: 'It may be sent buyers.',
    caller: 'anyone',
    tag: 'health',
    reasons: ['not_ready'],
  }),
  ...answers,
};

export function addHealth(app: HttpServer, { isReady, refuser }: RouteDeps): void {
  app.get('/livez', { schema: live }, async () => ({ status: 'live' as const }));
  app.get('/readyz', { schema: ready }, async (request, reply) => {
    if (!isReady()) return refuser.refuse(request, reply, refuse('not_ready'));
    return { status: 'ready' as const };
  });
}
