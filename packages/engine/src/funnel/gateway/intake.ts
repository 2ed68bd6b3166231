/**
 * How much the node takes in. Two questions, both answered from what is known already: at the door (`shed`), whether the
 * process can bear another try; and before a claim (`hold`), whether what is claimed now would be settled soon. Only tries
 * are turned away: who pays, reads or operates comes in by what is kept free for them.
 */
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QueueDepth } from '../../ports/queue.ts';

/** 0: not bounded. */
export interface IntakeBounds {
  /** Purchases in hand at once. */
  readonly maxInFlight: number;
  /** Claims that wait to be settled, and how long the oldest may have waited. */
  readonly maxQueueEntries: number;
  readonly maxQueueAgeMs: number;
  /** How late the event loop may be. */
  readonly maxLoopLagMs: number;
}

export const NO_BOUNDS: IntakeBounds = { maxInFlight: 0, maxQueueEntries: 0, maxQueueAgeMs: 0, maxLoopLagMs: 0 };

export interface IntakeDeps {
  readonly clock: Clock;
  readonly bounds: IntakeBounds;
  readonly loopLagMs: () => number;
  readonly depth: () => Promise<QueueDepth>;
  /** The ledger's breaker: 0 when settlement works, else how long to stay away. */
  readonly askLedger: () => number;
}

export interface Intake {
  /** Null: another try may come in. */
  shed(): Refusal | null;
  /** Null: a claim may be made. */
  hold(): Refusal | null;
  /** Counts `work` as in hand until it is done. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  inFlight(): number;
}

const COME_AGAIN_MS = 1_000;

/** One look at the queue serves all who claim within this. */
const DEPTH_FRESH_MS = 250;
/** An older look says nothing of now. */
const DEPTH_STALE_MS = 2_000;

export function createIntake({ clock, bounds, loopLagMs, depth, askLedger }: IntakeDeps): Intake {
  const { maxInFlight, maxQueueEntries, maxQueueAgeMs, maxLoopLagMs } = bounds;
  const looksAtQueue = maxQueueEntries > 0 || maxQueueAgeMs > 0;
  let inFlight = 0;
  let seen: QueueDepth | null = null;
  let seenAtMs = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    try {
      seen = await depth();
      seenAtMs = clock.monotonicMs();
    } catch {
      // A queue that cannot be asked has a gate that cannot be claimed at: that answers for itself.
      seen = null;
    } finally {
      isLooking = false;
    }
  }

  function isBehind(): boolean {
    if (!looksAtQueue) return false;
    const ageMs = clock.monotonicMs() - seenAtMs;
    if (ageMs >= DEPTH_FRESH_MS && !isLooking) void look();
    if (!seen || ageMs >= DEPTH_STALE_MS) return false;
    return passes(seen.entries, maxQueueEntries) || passes(seen.oldestAgeMs ?? 0, maxQueueAgeMs);
  }

  return {
    shed() {
      const isFull = passes(inFlight + 1, maxInFlight) || (maxLoopLagMs > 0 && passes(loopLagMs(), maxLoopLagMs));
      return isFull ? refuse('busy', { retryAfterMs: COME_AGAIN_MS }) : null;
    },
    hold() {
      const waitMs = askLedger();
      if (waitMs > 0) return refuse('busy', { retryAfterMs: Math.max(COME_AGAIN_MS, Math.ceil(waitMs)) });
      return isBehind() ? refuse('busy', { retryAfterMs: COME_AGAIN_MS }) : null;
    },
    async run(work) {
      inFlight++;
      try {
        return await work();
      } finally {
        inFlight--;
      }
    },
    inFlight: () => inFlight,
  };
}

function passes(value: number, bound: number): boolean {
  return bound > 0 && value > bound;
}
