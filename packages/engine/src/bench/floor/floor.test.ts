import { expect, test } from 'vitest';
import { type Figure, measureFloor } from './floor.ts';

/** That it measures at all: figures of so few requests on a busy machine say nothing. */
test('the floor is measured, beside the echo', { timeout: 120_000 }, async () => {
  const report = await measureFloor({ rounds: 1, echoes: 200, refusals: 200, wins: 100, settled: 500 });
  expect(report.echoRate).toBeGreaterThan(0);
  const figures: readonly Figure[] = [report.refusals, report.lateRefusals, report.wins];
  for (const { rate, ofEcho } of figures) {
    expect(rate).toBeGreaterThan(0);
    expect(ofEcho).toBeCloseTo(rate / report.echoRate, 5);
  }
  expect(report.settlement.ordersPerSecond).toBeGreaterThan(0);
  expect(report.settlement.ordersPerGroup).toBeGreaterThan(1);
});
