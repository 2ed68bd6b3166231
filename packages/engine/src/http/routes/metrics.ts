/**
 * `GET /metrics`: figures for Prometheus. On a listener that operators have to themselves, whoever reaches it may read them;
 * where they share the buyers', the operators' key is asked for.
 */
import type { Metrics } from '../deps.ts';
import { documented } from '../documented.ts';
import type { HttpServer, RouteDeps } from '../route.ts';

type MetricsDeps = RouteDeps & { readonly metrics: Metrics };

export function addMetrics(app: HttpServer, { metrics, serves, requireOperator }: MetricsDeps): void {
  const isOpen = serves === 'operators' || serves === 'nobody';
  const schema = documented({
    operationId: 'readMetrics',
    summary: 'Figures, as Prometheus reads them.',
    caller: isOpen ? 'anyone' : 'operator',
    tag: 'health',
    texts: { 200: { description: 'Figures.', mediaTypes: ['text/plain'] } },
  });
  app.get('/metrics', { schema, ...(!isOpen && { onRequest: requireOperator }) }, async (_request, reply) => {
    const text = await metrics.write();
    return reply.type(metrics.mediaType).send(text);
  });
}
