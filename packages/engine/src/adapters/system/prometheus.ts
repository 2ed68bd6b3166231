/**
 * Figures in Prometheus' text format 0.0.4. Written by hand: counting is one addition into a Map or a typed array, and the
 * text is put together only when it is asked for. What there is to count is in figures.ts.
 */
import type { Telemetry } from '../../ports/telemetry.ts';
import { FIGURES, type Figure } from './figures.ts';

export const PROMETHEUS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A figure that is read when it is asked for. */
export interface Gauge {
  readonly figure: Figure & { readonly kind: 'gauge' };
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[];
}

export interface PrometheusTelemetry extends Telemetry {
  /** Everything counted, and `gauges`. */
  write(gauges: readonly Gauge[]): string;
}

type Labels = Readonly<Record<string, string>>;

export function createPrometheusTelemetry(): PrometheusTelemetry {
  const turnedAway = createCounter(FIGURES.turnedAway);
  const claims = createCounter(FIGURES.claims);
  const settled = createCounter(FIGURES.settlements);
  const failures = createCounter(FIGURES.settlementFailures);
  const orders = createCounter(FIGURES.orders);
  const wallet = createCounter(FIGURES.walletCalls);
  const webhooks = createCounter(FIGURES.webhookDeliveries);
  const batchSize = createHistogram(FIGURES.batchSize);
  const groupSize = createHistogram(FIGURES.groupSize);
  const latency = createHistogram(FIGURES.settlementDuration);
  const rests = createHistogram(FIGURES.settlementRest);
  const all = [turnedAway, claims, settled, failures, orders, wallet, webhooks, batchSize, groupSize, latency, rests];

  return {
    turnedAway: (stage, reason) => turnedAway.add(`stage="${stage}",reason="${reason}"`, 1),
    batchJudged({ claims: judged, taken, replayed }) {
      batchSize.observe(judged);
      claims.add('outcome="claimed"', taken);
      claims.add('outcome="replayed"', replayed);
      claims.add('outcome="refused"', judged - taken - replayed);
    },
    groupSettled({ claims: count, refused, durationMs }) {
      groupSize.observe(count);
      latency.observe(durationMs / 1_000);
      settled.add('outcome="settled"', count - refused);
      settled.add('outcome="refused"', refused);
    },
    settlementRested: (restMs) => rests.observe(restMs / 1_000),
    settlementFailed: (code) => failures.add(`code="${code}"`, 1),
    ordersChanged(states) {
      for (const state of states) orders.add(`state="${state}"`, 1);
    },
    walletAnswered: (call, answer) => wallet.add(`call="${call}",answer="${answer}"`, 1),
    webhookAnswered: (answer) => webhooks.add(`result="${answer}"`, 1),
    write: (gauges) => [...all.flatMap((each) => each.lines()), ...gauges.flatMap(gaugeLines), ''].join('\n'),
  };
}

function createCounter(figure: Figure & { readonly kind: 'counter' }) {
  const { name } = figure;
  const counts = new Map<string, number>();
  return {
    add(labels: string, count: number): void {
      counts.set(labels, (counts.get(labels) ?? 0) + count);
    },
    lines: () => [...headOf(figure), ...[...counts].map(([labels, count]) => `${name}{${labels}} ${count}`)],
  };
}

function createHistogram(figure: Figure & { readonly buckets: readonly number[] }) {
  const { name, buckets: bounds } = figure;
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(value: number): void {
      const index = bounds.findIndex((bound) => value <= bound);
      const slot = index === -1 ? bounds.length : index;
      counts[slot] = (counts[slot] ?? 0) + 1;
      sum += value;
    },
    lines() {
      let below = 0;
      const buckets = [...bounds, '+Inf'].map((bound, index) => {
        below += counts[index] ?? 0;
        return `${name}_bucket{le="${bound}"} ${below}`;
      });
      return [...headOf(figure), ...buckets, `${name}_sum ${sum}`, `${name}_count ${below}`];
    },
  };
}

function gaugeLines({ figure, samples }: Gauge): readonly string[] {
  return [...headOf(figure), ...samples.map(({ labels = {}, value }) => `${figure.name}${labelText(labels)} ${value}`)];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value.replaceAll(/["\\\n]/g, '_')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function headOf({ name, help, kind }: Figure): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
}
