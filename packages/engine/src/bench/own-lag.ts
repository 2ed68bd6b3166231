/**
 * How late the sender of a rush is itself: its event loop, and its starts against when they were meant. Latencies near
 * these are its own and not the deployment's.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLatencyRecorder, type Latencies } from './latencies.ts';

export interface OwnLag {
  readonly eventLoop: Pick<Latencies, 'p50' | 'p99' | 'max'>;
  /** Of starts, against when they were meant. */
  readonly schedule: Pick<Latencies, 'p50' | 'p99' | 'max'>;
  /** False: the sender was too slow for this rush; its figures say little of the deployment. */
  readonly keptUp: boolean;
}

export interface OwnLagWatch {
  /** A start, so much later than it was meant. */
  startedLate(lateMs: number): void;
  /** And stops watching. */
  end(): OwnLag;
}

const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;
/** People notice a tenth of a second: with starts or answers later than this, the figures are not to be believed. */
const KEPT_UP_MS = 100;

export function watchOwnLag(): OwnLagWatch {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const schedule = createLatencyRecorder();
  loop.enable();
  // The monitor measures from tick to tick: the time between them is no lag.
  const toMs = (ns: number) => Math.max(0, Math.round((ns / NS_PER_MS - RESOLUTION_MS) * 100) / 100);
  return {
    startedLate: (lateMs) => schedule.record(lateMs),
    end() {
      loop.disable();
      const { p50, p99, max } = schedule.summary();
      const eventLoop = { p50: toMs(loop.percentile(50)), p99: toMs(loop.percentile(99)), max: toMs(loop.max) };
      return { eventLoop, schedule: { p50, p99, max }, keptUp: Math.max(p99, eventLoop.p99) <= KEPT_UP_MS };
    },
  };
}
