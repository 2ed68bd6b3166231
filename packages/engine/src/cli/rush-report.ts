/** What people read when a rush is over: who came, how long it took, how late the sender was, the funnel, and the books. */
import pc from 'picocolors';
import { VIOLATIONS } from '../bench/check-books.ts';
import { LAYERS, type Layer } from '../bench/funnel.ts';
import { LATENCY_KINDS, type LatencyKind } from '../bench/latency-kinds.ts';
import type { RushReport } from '../bench/rush.ts';
import type { PaymentCounts } from '../bench/rush-options.ts';
import { printTable, printTitle, type Row } from './print.ts';

export function printRush(report: RushReport): void {
  printTitle(
    `${report.buyers} buyers at ${report.sale}, ${(report.durationMs / 1_000).toFixed(1)} s, seed ${report.seed}`,
  );
  printTable(Object.entries(report.outcomes).map(([outcome, count]): Row => [outcome, count]));
  printPart('Milliseconds, from when a call was meant to be sent', latencyRows(report));
  printPart('Orders', orderRows(report));
  printPart(`Where ${report.attempts} attempts ended`, funnelRows(report));
  console.log();
  printBooks(report);
}

function printPart(title: string, rows: readonly Row[]): void {
  console.log();
  printTitle(title);
  printTable(rows);
}

function latencyRows({ latencyMs, lagMs }: RushReport): readonly Row[] {
  const { eventLoop, schedule, keptUp } = lagMs;
  const mark = keptUp ? '' : ' *';
  const kinds = (Object.keys(LATENCY_KINDS) as LatencyKind[]).filter((kind) => latencyMs[kind].count > 0);
  return [
    ...kinds.map((kind): Row => {
      const { count, p50, p90, p99, p999, max } = latencyMs[kind];
      const figures = `p50 ${p50}, p90 ${p90}, p99 ${p99}, p99.9 ${p999}, max ${max}${mark}`;
      return [kind, figures, `${count} ${LATENCY_KINDS[kind]}`];
    }),
    ['own lag', `starts p99 ${schedule.p99}, event loop p99 ${eventLoop.p99}`, 'of this sender'],
    ...(keptUp ? [] : [['*', 'this sender could not keep up: what is marked is partly its own slowness'] as const]),
  ];
}

function orderRows({ orders, units, places, repeated, payments }: RushReport): readonly Row[] {
  return [
    ['orders', orders, repeated > 0 ? `${repeated} calls had to be repeated` : undefined],
    ...paymentRows(payments),
    ['units', units, `of ${places.total}; ${places.available + places.free} left`],
  ];
}

function paymentRows({ paid, repeated, neverPaid, paidLate, cancelled, refundDue, resold }: PaymentCounts): Row[] {
  if (paid + neverPaid + paidLate + cancelled === 0) return [];
  return [
    ['paid', paid, `${repeated} of all notices told twice`],
    ['paid late', paidLate, `${refundDue} of them due back`],
    ['never paid', neverPaid],
    ['cancelled', cancelled],
    ['sold again', resold],
  ];
}

function funnelRows({ funnel, attempts }: RushReport): readonly Row[] {
  const layers = (Object.keys(LAYERS) as Layer[]).filter((layer) => layer !== 'broken' || funnel.broken > 0);
  return layers.map((layer): Row => {
    const percent = `${((100 * funnel[layer]) / Math.max(1, attempts)).toFixed(1)} %`.padStart(7);
    return [layer, percent, `${funnel[layer]} ${LAYERS[layer]}`];
  });
}

function printBooks({ violations }: RushReport): void {
  if (violations.length === 0)
    console.log(pc.green(`The books are right: every promise that can be checked from outside was kept.`));
  for (const { name, count, example } of violations) {
    console.log(`${pc.red(name)}: ${VIOLATIONS[name]}; ${count} times, first: ${example}`);
  }
}
