/** Deliveries: one event on its way to one endpoint. Decisions about trying again; what is tried is in the ledger. */
import type { OutboxEvent } from './outbox-event.ts';

/** A delivery that somebody has in hand; theirs until their lease ends. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly endpointId: string;
  /** Tries that failed before. */
  readonly failures: number;
  readonly event: OutboxEvent;
}

/** One that nobody tries any more, until a person asks for it. */
export interface DeadLetter extends ClaimedDelivery {
  readonly diedAtMs: number;
  /** What the last try met. */
  readonly error: string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Between tries: about a day in all, so that a receiver may be mended on the next morning. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

/** Each delay is spread by so much to both sides: who failed together does not come back together. */
const JITTER = 0.2;

export interface RetryWish {
  /** What the receiver asked for: it may lengthen a wait, but not beyond the longest. */
  readonly askedMs: number;
  readonly delaysMs: readonly number[];
}

/** How long to wait after one more failure; null: give up. `random` from 0 to below 1. */
export function nextRetryMs(failuresBefore: number, random: number, { askedMs, delaysMs }: RetryWish): number | null {
  const delayMs = delaysMs[failuresBefore];
  if (delayMs === undefined) return null;
  const spreadMs = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spreadMs, Math.min(askedMs, Math.max(...delaysMs)));
}
