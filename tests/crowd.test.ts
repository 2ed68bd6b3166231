import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { RushReport } from '../packages/engine/src/bench/rush.ts';
import { readKeys } from '../packages/engine/src/compose/deployment-files.ts';
import { newDataDir, type RunningSluice, runSluice, rushAt, startSluice } from './sluice-process.ts';

// A crowd is as fast as the machine that sends and serves it.
vi.setConfig({ testTimeout: 240_000 });

let sluice: RunningSluice;

beforeAll(async () => {
  sluice = await startSluice({ dataDir: newDataDir() });
});

/** Nothing broken, and everybody brought to an end: won, or refused for good. */
function expectAllServed(report: RushReport): void {
  expect(report.violations).toEqual([]);
  const { gave_up, unanswered, unexpected, ...ends } = report.outcomes;
  expect({ gave_up, unanswered, unexpected }).toEqual({});
  expect(Object.values(ends).reduce((sum, count) => sum + count, 0)).toBe(report.buyers);
  expect(report.funnel).toMatchObject({ broken: 0, ledger: 0 });
}

const few = { doubleClicks: 0.05, retries: 0.02, secondTokens: 0.02, patienceMs: 180_000, connections: 200 };

describe('a crowd', () => {
  test('of twenty thousand at five hundred units pays for five hundred', async () => {
    const { code, stdout, stderr } = await runSluice([
      ...['rush', '--json', '--data-dir', sluice.dataDir, '--buyers', '20000', '--stock', '500', '--over', '5'],
      ...['--pay', '--patience', '180s', '--double-clicks', '0.1'],
    ]);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const { outcomes, ...document } = JSON.parse(stdout);
    expect(document).toMatchObject({
      ...{ buyers: 20_000, orders: 500, violations: [] },
      places: { sold: 500, held: 0, available: 0, free: 0, total: 500, balanced: true, still: true },
    });
    expect(outcomes.accepted).toBe(500);
    expect(outcomes).not.toHaveProperty('gave_up');
    expect(Object.values(outcomes as Record<string, number>).reduce((sum, count) => sum + count, 0)).toBe(20_000);
  });

  test('buys ten thousand and seven units to the last', async () => {
    const report = await rushAt(sluice, {
      ...{ ...few, buyers: 3_500, units: 3, overMs: 3_000, sale: { kind: 'fresh', stock: 10_007, limit: 5 } },
    });
    expectAllServed(report);
    expect(report.orders).toBe(3_335);
    // Two are left, and sold to whoever asks for no more.
    const last = await rushAt(sluice, {
      ...{ ...few, buyers: 10, sale: { kind: 'existing', id: report.sale } },
    });
    expectAllServed(last);
    expect(last.orders).toBe(2);
    expect(last.places).toMatchObject({ held: 10_007, available: 0, free: 0, balanced: true });
  });

  test('at three sales of one deployment empties each of them, and no other', async () => {
    const stocks = [101, 257, 500];
    const reports = await Promise.all(
      stocks.map((stock, seed) =>
        rushAt(sluice, {
          ...{ ...few, buyers: 1_000, seed, overMs: 1_500, connections: 70 },
          ...{ profile: seed === 0 ? 'bots' : 'herd', bots: 0.02, sale: { kind: 'fresh', stock, limit: 1 } },
        }),
      ),
    );
    for (const [index, report] of reports.entries()) {
      expect(report.violations).toEqual([]);
      expect(report.orders).toBe(stocks[index]);
      expect(report.places).toMatchObject({ held: stocks[index], available: 0, total: stocks[index], balanced: true });
    }
  });

  test('of whom one in five never pays buys what came back, to the last', async () => {
    const { serverKey = '' } = readKeys(sluice.dataDir);
    const report = await rushAt(sluice, {
      ...{ ...few, buyers: 1_500, overMs: 1_000, sale: { kind: 'fresh', stock: 500, limit: 1, holdMs: 4_000 } },
      payments: { serverKey, neverPay: 0.2, payLate: 0, cancel: 0 },
    });
    expectAllServed(report);
    expect(report.payments.neverPaid).toBeGreaterThan(50);
    expect(report.payments.resold).toBeGreaterThanOrEqual(report.payments.neverPaid);
    expect(report.places).toMatchObject({ sold: 500, held: 0, available: 0, free: 0, balanced: true });
  });

  test('of ten thousand in three seconds sees nothing break, and hears soon that it is too late (K35)', async () => {
    const report = await rushAt(sluice, {
      ...{ ...few, buyers: 10_000, overMs: 3_000, sale: { kind: 'fresh', stock: 1_000, limit: 1 } },
    });
    expectAllServed(report);
    expect(report.orders).toBe(1_000);

    // The crowd fills every machine; how long a refusal takes shows when it has passed.
    const latecomers = await rushAt(sluice, {
      ...{ ...few, buyers: 300, overMs: 3_000, profile: 'steady', sale: { kind: 'existing', id: report.sale } },
    });
    expectAllServed(latecomers);
    expect(latecomers.orders).toBe(0);
    const { refused } = latecomers.latencyMs;
    const { eventLoop, schedule } = latecomers.lagMs;
    console.log(`refusals: p99 ${report.latencyMs.refused.p99} ms in the crowd, ${refused.p99} ms after it`);
    // A busy machine is late by itself, and that is measured in the same seconds.
    expect(refused.p99).toBeLessThan(100 + 10 * (eventLoop.p99 + schedule.p99));
  });
});
