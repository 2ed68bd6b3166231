/** `/livez`: the process answers. `/readyz`: it may be sent buyers. */
import { HEALTH } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = { response: { 200: HEALTH, ...PROBLEMS } };

export function addHealth(app: HttpServer, { isReady, refuser }: RouteDeps): void {
  app.get('/livez', { schema }, async () => ({ status: 'live' as const }));
  app.get('/readyz', { schema }, async (request, reply) => {
    if (!isReady()) return refuser.refuse(request, reply, refuse('not_ready'));
    return { status: 'ready' as const };
  });
}
