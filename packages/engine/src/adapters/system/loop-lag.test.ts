import { expect, test } from 'vitest';
import { watchLoopLag } from './loop-lag.ts';

function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a loop that is late again and again is told of, and forgotten soon', async () => {
  const lag = watchLoopLag();
  for (let round = 0; round < 6; round++) {
    block(400);
    await pause(5);
  }
  expect(lag.lagMs()).toBeGreaterThan(150);
  const late = lag.lagMs();
  await pause(1_000);
  expect(lag.lagMs()).toBeLessThan(late / 4);
  lag.stop();
});
