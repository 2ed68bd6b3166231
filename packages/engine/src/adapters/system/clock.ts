/** The machine's time. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock.ts';

// A longer delay would overflow to 1 ms in Node.
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, Math.min(delayMs, LONGEST_DELAY_MS));
    return () => clearTimeout(timer);
  },
};
