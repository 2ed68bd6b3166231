/**
 * How late the event loop is: a timer that should come at its time, and how much later it came, smoothed. One pause, such as
 * for garbage, hardly shows; a loop that is late again and again does, and half a second after it has caught up, no more.
 */
import { performance } from 'node:perf_hooks';

export interface LoopLag {
  lagMs(): number;
  stop(): void;
}

const EVERY_MS = 50;
/** Of a new sample; four make two thirds. */
const WEIGHT = 0.25;

export function watchLoopLag(): LoopLag {
  let lagMs = 0;
  let dueAtMs = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lagMs += (Math.max(0, nowMs - dueAtMs) - lagMs) * WEIGHT;
    dueAtMs = nowMs + EVERY_MS;
  }, EVERY_MS);
  // It keeps no process alive.
  timer.unref();
  return { lagMs: () => lagMs, stop: () => clearInterval(timer) };
}
