/** `GET /v1/admin/sales/{saleId}/places`: where the units are. A gate that cannot be read is "not ready", not a zero. */
import { PLACES_READING, SALE_PARAMS } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'readPlaces',
    summary: 'Where the units are.',
    caller: 'operator',
    reasons: ['not_ready'],
  }),
  params: SALE_PARAMS,
  response: { 200: PLACES_READING, ...PROBLEMS },
};

export function addReadPlaces(app: HttpServer, { engine, refuser }: RouteDeps): void {
  app.get('/sales/:saleId/places', { schema }, async (request, reply) => {
    const result = await engine.readPlaces(request.params.saleId);
    switch (result.kind) {
      case 'absent':
        return refuser.refuse(request, reply, refuse('not_found'));
      case 'not_read':
        return refuser.refuse(request, reply, refuse('not_ready'));
      case 'read': {
        const { places, totalUnits, isBalanced, isStill } = result.reading;
        return { ...places, total: totalUnits, balanced: isBalanced, still: isStill };
      }
    }
  });
}
