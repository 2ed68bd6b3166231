/**
 * `GET /metrics`: figures for Prometheus. On a listener that operators have to themselves, whoever reaches it may read them;
 * where they share the buyers', the operators' key is asked for.
 */
import type { Metrics } from '../deps.ts';
import type { HttpServer, RouteDeps } from '../route.ts';

type MetricsDeps = RouteDeps & { readonly metrics: Metrics };

export function addMetrics(app: HttpServer, { metrics, serves, requireOperator }: MetricsDeps): void {
  const guard = serves === 'operators' ? {} : { onRequest: requireOperator };
  app.get('/metrics', guard, async (_request, reply) => {
    const text = await metrics.write();
    return reply.type(metrics.mediaType).send(text);
  });
}
