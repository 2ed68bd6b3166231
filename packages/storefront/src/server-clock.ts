/**
 * The server's clock, followed from here: the clock of this device may be wrong by hours, and the server decides. Durations
 * are measured with a clock that does not step.
 */
export interface ServerClock {
  nowMs(): number;
  /** Learns from an answer that was asked for at `sentMs` and came at `receivedMs`, both by `monotonicMs`. */
  learn(serverTimeMs: number, sentMs: number, receivedMs: number): void;
}

/** Half the round trip is the most an estimate can be wrong; an older one is trusted a little less every second. */
const DRIFT_PER_MS = 50e-6;

export function createServerClock(monotonicMs: () => number, wallMs: () => number): ServerClock {
  // Until the first answer, the device is believed.
  let offsetMs = wallMs() - monotonicMs();
  let errorMs = Number.POSITIVE_INFINITY;
  let learnedAtMs = 0;

  return {
    nowMs: () => monotonicMs() + offsetMs,
    learn(serverTimeMs, sentMs, receivedMs) {
      const halfTripMs = (receivedMs - sentMs) / 2;
      const grownErrorMs = errorMs + (receivedMs - learnedAtMs) * DRIFT_PER_MS;
      if (halfTripMs > grownErrorMs) return;
      offsetMs = serverTimeMs + halfTripMs - receivedMs;
      errorMs = halfTripMs;
      learnedAtMs = receivedMs;
    },
  };
}
