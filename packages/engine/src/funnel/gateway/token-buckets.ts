/**
 * Token buckets, one for each key, all of one rate. A bucket is one number: when it will be full again. So a bucket that is
 * full needs no memory, a refused call consumes nothing, and time is the monotonic clock's, which never runs backwards.
 *
 * Law: in any stretch of time a key is let through at most burst + rate x time calls. Keys are bounded: when there is no
 * room for a new one, all such keys share one bucket, so that many keys never buy a way around the limit.
 */
import type { Clock } from '../../ports/clock.ts';

export interface Rate {
  /** Calls a second, in the long run. */
  readonly perSecond: number;
  /** Calls that may come at once. */
  readonly burst: number;
}

export interface TokenBuckets {
  /** 0 when the call may go on; else the milliseconds until one may. */
  take(key: string): number;
  /** Undoes a `take` that was let through, in the same turn: another limit refused the call. */
  giveBack(key: string): void;
  /** Keys that are remembered at the moment. */
  readonly size: number;
}

/** Looked at for each new key while there is no room: enough to find one that is full again, few enough to cost nothing. */
const SWEPT_PER_ARRIVAL = 8;

export function createTokenBuckets(clock: Clock, rate: Rate, maxKeys: number): TokenBuckets {
  const refillMs = 1_000 / rate.perSecond;
  const depthMs = rate.burst * refillMs;
  // By slot. A hand goes round the slots to find room: walking a Map from its start would pass all that was ever deleted
  // from it, which cost 100 us a call under a million addresses.
  const slotOf = new Map<string, number>();
  const keyAt: string[] = [];
  const fullAtMs: number[] = [];
  let hand = 0;
  let sharedFullAtMs = 0;

  /** Takes one from a bucket that is full again at `fullAtMs`: how long to wait, or when it is full after this. */
  function draw(fullAtMs: number, nowMs: number): { readonly waitMs: number; readonly fullAt: number } {
    const after = Math.max(fullAtMs, nowMs) + refillMs;
    const waitMs = after - nowMs - depthMs;
    // Rounding of floating point must not turn away the last call of a burst.
    return waitMs > 1e-6 ? { waitMs, fullAt: fullAtMs } : { waitMs: 0, fullAt: after };
  }

  /** A slot for a new key; null when there is none. */
  function findRoom(nowMs: number): number | null {
    if (keyAt.length < maxKeys) return keyAt.length;
    for (let looked = 0; looked < SWEPT_PER_ARRIVAL; looked++) {
      const slot = hand;
      hand = (hand + 1) % maxKeys;
      if (fullAt(slot) > nowMs) continue;
      slotOf.delete(keyAt[slot] ?? '');
      return slot;
    }
    return null;
  }

  function fullAt(slot: number): number {
    return fullAtMs[slot] ?? 0;
  }

  function takeShared(nowMs: number): number {
    const shared = draw(sharedFullAtMs, nowMs);
    sharedFullAtMs = shared.fullAt;
    return shared.waitMs;
  }

  return {
    take(key) {
      const nowMs = clock.monotonicMs();
      const known = slotOf.get(key);
      const slot = known ?? findRoom(nowMs);
      if (slot === null) return takeShared(nowMs);
      const own = draw(known === undefined ? 0 : fullAt(slot), nowMs);
      fullAtMs[slot] = own.fullAt;
      if (known === undefined) {
        keyAt[slot] = key;
        slotOf.set(key, slot);
      }
      return own.waitMs;
    },
    giveBack(key) {
      const slot = slotOf.get(key);
      if (slot === undefined) sharedFullAtMs -= refillMs;
      else fullAtMs[slot] = fullAt(slot) - refillMs;
    },
    get size() {
      return slotOf.size;
    },
  };
}
