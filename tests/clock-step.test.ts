import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { newDataDir, type RunningSluice, runSluice, rushAt, startSluice } from './sluice-process.ts';

vi.setConfig({ testTimeout: 180_000 });

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const HOUR_MS = 3_600_000;

interface Stepper {
  readonly env: Readonly<Record<string, string>>;
  step(ms: number, pid: number): void;
}

/** Node's clock alone: the database goes on by the machine's. */
function nodeStepper(): Stepper {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-step-')), 'step');
  const preload = new URL('./step-clock.mjs', import.meta.url).href;
  return {
    env: { NODE_OPTIONS: `--import=${preload}`, STEP_FILE: file },
    step(ms, pid) {
      writeFileSync(file, String(ms));
      process.kill(pid, 'SIGUSR2');
    },
  };
}

const LIBFAKETIME = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`)
  .find(existsSync);

/** The clock of the whole process, SQLite's included. */
function processStepper(library: string): Stepper {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-step-')), 'step');
  writeFileSync(file, '+0');
  return {
    env: {
      ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' },
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    step: (ms) => writeFileSync(file, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1_000}`),
  };
}

async function isReady({ url }: RunningSluice): Promise<boolean> {
  return (await fetch(`${url}/readyz`)).ok;
}

const steppers: readonly (readonly [name: string, make: () => Stepper, stepMs: number])[] = [
  ['of Node alone, forwards', nodeStepper, HOUR_MS],
  ['of Node alone, backwards', nodeStepper, -HOUR_MS],
  // Needs the package faketime.
  ...(LIBFAKETIME === undefined
    ? []
    : [['of the whole process, forwards', () => processStepper(LIBFAKETIME), HOUR_MS] as const]),
];

describe('a clock that is stepped by an hour', () => {
  test.each(steppers)('%s, while it sells, loses and breaks nothing', async (_name, make, stepMs) => {
    const { env, step } = make();
    const dataDir = newDataDir();
    const sluice = await startSluice({ dataDir, env });
    const stepping = pause(800)
      .then(() => step(stepMs, sluice.pid))
      .then(() => pause(1_000))
      .then(() => step(0, sluice.pid));
    const report = await rushAt(sluice, {
      ...{ buyers: 300, overMs: 3_000, profile: 'steady', connections: 50 },
      sale: { kind: 'fresh', stock: 250, limit: 1, holdMs: 4 * HOUR_MS },
    });
    await stepping;
    // Whoever came while the clock said that it had not begun was told so, and left.
    expect(report.violations.filter(({ name }) => name !== 'units_stranded')).toEqual([]);
    const later = await rushAt(sluice, { sale: { kind: 'existing', id: report.sale }, buyers: 260 });
    expect(later.violations).toEqual([]);
    expect(later.places).toMatchObject({ held: 250, available: 0, total: 250, balanced: true });
    expect(await isReady(sluice)).toBe(true);

    step(stepMs, sluice.pid);
    const { code, stderr } = await sluice.end('SIGTERM');
    expect({ code, errors: stderr.split('\n').filter((line) => line.includes('"level":50')) }).toEqual({
      code: 0,
      errors: [],
    });
    const again = await startSluice({ dataDir, env });
    const shown = await runSluice(['sale', 'show', report.sale, '--json', '--data-dir', dataDir]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ places: { held: 250, total: 250, balanced: true } });
    await again.end('SIGTERM');
  });
});

test('a setting that is wrong is told with where it is, and nothing is created', async () => {
  const dataDir = newDataDir();
  const { code, stderr } = await runSluice(['start', '--data-dir', dataDir, '--port', '0'], {
    SLUICE_SALE_RATE: 'fast',
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(/SLUICE_SALE_RATE/);
  expect(existsSync(dataDir)).toBe(false);
});
