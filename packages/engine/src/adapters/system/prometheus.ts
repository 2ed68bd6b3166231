/**
 * Figures in Prometheus' text format 0.0.4. Written by hand: counting is one addition into a Map or a typed array, and the
 * text is put together only when it is asked for. Labels come from closed lists, so the number of lines is bounded.
 */
import type { Telemetry } from '../../ports/telemetry.ts';

export const PROMETHEUS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A figure that is read when it is asked for. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[];
}

export interface PrometheusTelemetry extends Telemetry {
  /** Everything counted, and `gauges`. */
  write(gauges: readonly Gauge[]): string;
}

type Labels = Readonly<Record<string, string>>;

/** Claims in one call or group: powers of two, up to the most that one may carry. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createPrometheusTelemetry(): PrometheusTelemetry {
  const turnedAway = createCounter('sluice_turned_away_total', 'Tries and calls turned away, by stage and reason.');
  const claims = createCounter('sluice_claims_total', 'Claims judged by the gate, by what came of them.');
  const settled = createCounter('sluice_settlements_total', 'Claims brought to the ledger, by what came of them.');
  const failures = createCounter(
    'sluice_settlement_failures_total',
    'Groups that met a fault, by code; they are tried again.',
  );
  const orders = createCounter('sluice_orders_total', 'Orders that came into a state, as told to their watchers.');
  const wallet = createCounter('sluice_wallet_calls_total', 'Calls to the wallet, by what came of them.');
  const batchSize = createHistogram('sluice_gate_batch_claims', 'Claims in one call to the gate.', SIZES);
  const groupSize = createHistogram('sluice_settlement_group_claims', 'Claims in one settlement.', SIZES);
  const latency = createHistogram('sluice_settlement_duration_seconds', 'What one settlement took.', SECONDS);
  const all = [turnedAway, claims, settled, failures, orders, wallet, batchSize, groupSize, latency];

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
    settlementFailed: (code) => failures.add(`code="${code}"`, 1),
    ordersChanged(states) {
      for (const state of states) orders.add(`state="${state}"`, 1);
    },
    walletAnswered: (call, answer) => wallet.add(`call="${call}",answer="${answer}"`, 1),
    write: (gauges) => [...all.flatMap((each) => each.lines()), ...gauges.flatMap(gaugeLines), ''].join('\n'),
  };
}

function createCounter(name: string, help: string) {
  const counts = new Map<string, number>();
  return {
    add(labels: string, count: number): void {
      counts.set(labels, (counts.get(labels) ?? 0) + count);
    },
    lines: () => [
      ...headOf(name, help, 'counter'),
      ...[...counts].map(([labels, count]) => `${name}{${labels}} ${count}`),
    ],
  };
}

function createHistogram(name: string, help: string, bounds: readonly number[]) {
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
      return [...headOf(name, help, 'histogram'), ...buckets, `${name}_sum ${sum}`, `${name}_count ${below}`];
    },
  };
}

function gaugeLines({ name, help, samples }: Gauge): readonly string[] {
  return [
    ...headOf(name, help, 'gauge'),
    ...samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value.replaceAll(/["\\\n]/g, '_')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function headOf(name: string, help: string, type: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
