/** What an operator's Prometheus is told: what was counted, and how things are at this moment. */
import type { LoopLag } from '../adapters/system/loop-lag.ts';
import { type Gauge, PROMETHEUS_MEDIA_TYPE, type PrometheusTelemetry } from '../adapters/system/prometheus.ts';
import type { RequestLimits } from '../funnel/gateway/request-limits.ts';
import { BREAKER_STATES } from '../funnel/ledger/circuit-breaker.ts';
import type { Metrics } from '../http/deps.ts';
import type { Engine, EngineReadings } from './build-engine.ts';

export interface MetricsParts {
  readonly telemetry: PrometheusTelemetry;
  readonly engine: Pick<Engine, 'read'>;
  readonly limits: RequestLimits;
  readonly lag: LoopLag;
}

export function createMetrics({ telemetry, engine, limits, lag }: MetricsParts): Metrics {
  return {
    mediaType: PROMETHEUS_MEDIA_TYPE,
    async write() {
      const readings = await engine.read();
      return telemetry.write([...engineGauges(readings), limiterGauge(limits), ...processGauges(lag)]);
    },
  };
}

function engineGauges({ ledgerBreaker, walletBreaker, purchasesInFlight, queue }: EngineReadings): readonly Gauge[] {
  const breakers = [['ledger', ledgerBreaker] as const, ...(walletBreaker ? [['wallet', walletBreaker] as const] : [])];
  const samples = breakers.flatMap(([breaker, current]) =>
    BREAKER_STATES.map((state) => ({ labels: { breaker, state }, value: state === current ? 1 : 0 })),
  );
  return [
    { name: 'sluice_breaker_state', help: '1 for the state that a breaker is in.', samples },
    gauge('sluice_purchases_in_flight', 'Purchases in hand.', purchasesInFlight),
    ...(queue === null
      ? []
      : [
          gauge('sluice_queue_claims', 'Claims that wait to be settled.', queue.entries),
          gauge('sluice_queue_oldest_age_seconds', 'How long the oldest has waited.', (queue.oldestAgeMs ?? 0) / 1_000),
        ]),
  ];
}

function limiterGauge(limits: RequestLimits): Gauge {
  const samples = Object.entries(limits.keyCounts()).map(([limit, value]) => ({ labels: { limit }, value }));
  return { name: 'sluice_limiter_keys', help: 'Keys that a rate limit remembers.', samples };
}

function processGauges(lag: LoopLag): readonly Gauge[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  return [
    gauge('sluice_event_loop_lag_seconds', 'How late the event loop is, smoothed.', lag.lagMs() / 1_000),
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Of it, used by objects.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'And by buffers outside the heap.', external),
  ];
}

function gauge(name: string, help: string, value: number): Gauge {
  return { name, help, samples: [{ value }] };
}
