/** What an operator's Prometheus is told: what was counted, and how things are at this moment. */
import { FIGURES } from '../adapters/system/figures.ts';
import type { LoopLag } from '../adapters/system/loop-lag.ts';
import { type Gauge, PROMETHEUS_MEDIA_TYPE, type PrometheusTelemetry } from '../adapters/system/prometheus.ts';
import type { RequestLimits } from '../funnel/gateway/request-limits.ts';
import { BREAKER_STATES } from '../funnel/ledger/circuit-breaker.ts';
import type { CeilingReading } from '../funnel/ledger/settlement-ceiling.ts';
import type { Metrics } from '../http/deps.ts';
import type { OutboxDepth } from '../ports/outbox.ts';
import type { Engine, EngineReadings } from './engine.ts';

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

function engineGauges({
  ledgerBreaker,
  walletBreaker,
  purchasesInFlight,
  queue,
  ceiling,
  outbox,
}: EngineReadings): readonly Gauge[] {
  const breakers = [['ledger', ledgerBreaker] as const, ...(walletBreaker ? [['wallet', walletBreaker] as const] : [])];
  const samples = breakers.flatMap(([breaker, current]) =>
    BREAKER_STATES.map((state) => ({ labels: { breaker, state }, value: state === current ? 1 : 0 })),
  );
  return [
    { figure: FIGURES.breakerState, samples },
    gauge(FIGURES.purchasesInFlight, purchasesInFlight),
    ...(ceiling === null ? [] : ceilingGauges(ceiling)),
    ...(queue === null
      ? []
      : [gauge(FIGURES.queueClaims, queue.entries), gauge(FIGURES.queueOldestAge, (queue.oldestAgeMs ?? 0) / 1_000)]),
    ...(outbox === null ? [] : outboxGauges(outbox)),
  ];
}

function outboxGauges({ events, deliveries, oldestAgeMs, deadLetters }: OutboxDepth): readonly Gauge[] {
  return [
    gauge(FIGURES.outboxEvents, events),
    gauge(FIGURES.outboxDeliveries, deliveries),
    gauge(FIGURES.outboxOldestAge, (oldestAgeMs ?? 0) / 1_000),
    gauge(FIGURES.deadLetters, deadLetters),
  ];
}

function ceilingGauges({ ordersPerSecond, transactionsPerSecond, groupClaims }: CeilingReading): readonly Gauge[] {
  const samples = [
    { labels: { of: 'orders' }, value: ordersPerSecond },
    { labels: { of: 'transactions' }, value: transactionsPerSecond },
  ];
  return [{ figure: FIGURES.settlementCeiling, samples }, gauge(FIGURES.settlementGroupLimit, groupClaims)];
}

function limiterGauge(limits: RequestLimits): Gauge {
  const samples = Object.entries(limits.keyCounts()).map(([limit, value]) => ({ labels: { limit }, value }));
  return { figure: FIGURES.limiterKeys, samples };
}

function processGauges(lag: LoopLag): readonly Gauge[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  return [
    gauge(FIGURES.eventLoopLag, lag.lagMs() / 1_000),
    gauge(FIGURES.residentMemory, rss),
    gauge(FIGURES.heapUsed, heapUsed),
    gauge(FIGURES.externalMemory, external),
  ];
}

function gauge(figure: Gauge['figure'], value: number): Gauge {
  return { figure, samples: [{ value }] };
}
