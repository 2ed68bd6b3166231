import { expect, it } from 'vitest';
import { createMemoryLedger } from '../../adapters/memory/ledger.ts';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { PRESENT_MS } from '../../ports/roster.ts';
import { createSegmentShare } from './segment-share.ts';

const SEGMENTS = Array.from({ length: 64 }, (_, segment) => ({ saleId: 'sale', region: 'home', segment }));

/** Timers and the answers that they wait for. */
async function pass(clock: ReturnType<typeof createManualClock>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    clock.advance(100);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

it('divides the segments, each to one; a dead worker’s are the others’ when its time is up', async () => {
  const clock = createManualClock(0);
  const { roster } = createMemoryLedger({ clock });
  const fault = (error: unknown) => {
    throw error;
  };
  const share = (worker: string) => createSegmentShare({ clock, roster, worker, onFault: fault, onCrash: fault });
  const [ada, ben] = [share('ada'), share('ben')];
  expect(SEGMENTS.every(ada.isOurs), 'everything is everybody’s while nobody is known').toBe(true);

  ada.start();
  // Says once that it is present, and dies.
  await roster.present('ben');
  await pass(clock, 600);
  ben.start();
  await pass(clock, 600);
  for (const segment of SEGMENTS) expect([ada, ben].filter((each) => each.isOurs(segment))).toHaveLength(1);
  expect(SEGMENTS.filter(ada.isOurs).length).toBeGreaterThan(10);

  await ben.stop();
  await roster.present('ben');
  await pass(clock, 600);
  expect(SEGMENTS.every(ada.isOurs)).toBe(false);
  await pass(clock, PRESENT_MS);
  expect(SEGMENTS.every(ada.isOurs)).toBe(true);
  await ada.stop();
});
