/** How long things took, kept as histograms: any number of them, in a few kilobytes each, to three digits. */
import { build } from 'hdr-histogram-js';

export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface LatencyRecorder {
  record(durationMs: number): void;
  summary(): Latencies;
}

const US_PER_MS = 1_000;
/** Longer than any client waits. */
const LONGEST_US = 600_000 * US_PER_MS;

export function createLatencyRecorder(): LatencyRecorder {
  const histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: LONGEST_US,
    numberOfSignificantValueDigits: 3,
  });
  const at = (percentile: number) => toMs(histogram.getValueAtPercentile(percentile));
  return {
    record(durationMs) {
      histogram.recordValue(Math.min(Math.max(1, Math.round(durationMs * US_PER_MS)), LONGEST_US));
    },
    summary: () => ({
      ...{ count: histogram.totalCount, p50: at(50), p90: at(90), p99: at(99), p999: at(99.9) },
      max: toMs(histogram.maxValue),
    }),
  };
}

function toMs(us: number): number {
  return Math.round(us / 10) / 100;
}
