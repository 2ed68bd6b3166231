import { expect, test } from 'vitest';
import { watchOwnLag } from './own-lag.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a sender that is held up says so, by its event loop and by its starts', async () => {
  const idle = watchOwnLag();
  idle.startedLate(1);
  await pause(100);
  expect(idle.end()).toMatchObject({ schedule: { max: 1 } });

  const blocked = watchOwnLag();
  await pause(20);
  const untilMs = performance.now() + 300;
  while (performance.now() < untilMs);
  await pause(20);
  const lag = blocked.end();
  expect(lag.keptUp).toBe(false);
  expect(lag.eventLoop.max).toBeGreaterThan(200);

  const late = watchOwnLag();
  late.startedLate(500);
  expect(late.end().keptUp).toBe(false);
});
