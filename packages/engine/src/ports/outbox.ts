/**
 * The outbox: events that were written with what they tell of, and their way to endpoints. An event is handed out once, as
 * one delivery for each endpoint that wants it, and is found by what it is, not by a position that a late commit could
 * fall behind. Of one subject (an order, or a sale) an endpoint's deliveries leave in the order of the events: one waits
 * until the earlier one is delivered or dead. Each call is one transaction.
 */
import type { ClaimedDelivery, DeadLetter } from '../domain/outbox/delivery.ts';

/** The most events that one call hands out: it is one short transaction. */
export const MAX_HANDED_OUT = 500;

export interface DeliveryClaim {
  readonly endpointId: string;
  readonly max: number;
  /** Whoever has not said how it went by then has died; another may claim it. */
  readonly leaseMs: number;
  /** Other than every other claim's. */
  readonly claimId: string;
}

/** Counts only for the claim that has it still. */
export interface ClaimedRef {
  readonly id: number;
  readonly claimId: string;
}

export interface OutboxDepth {
  /** Events that were not handed out yet. */
  readonly events: number;
  readonly deliveries: number;
  /** Of the oldest of both; null when there is none. */
  readonly oldestAgeMs: number | null;
  readonly deadLetters: number;
}

export interface DeadLetterPage {
  readonly deadLetters: readonly DeadLetter[];
  /** Where the next page begins; null at the end. */
  readonly next: number | null;
}

export interface Outbox {
  /** Hands out up to MAX_HANDED_OUT events, oldest first; answers how many. None while another process is at it. */
  handOut(): Promise<number>;
  /** Deliveries of an endpoint that may leave now, at most one of a subject; none while another process claims them. */
  claim(claim: DeliveryClaim): Promise<readonly ClaimedDelivery[]>;
  delivered(ref: ClaimedRef): Promise<void>;
  /** It failed: due again after `retryInMs`; null: a dead letter. */
  failed(ref: ClaimedRef, error: string, retryInMs: number | null): Promise<void>;
  /** It was not tried: due again at once. */
  putBack(ref: ClaimedRef): Promise<void>;
  /** Of one endpoint, oldest first. */
  listDead(endpointId: string, after: number | null, max: number): Promise<DeadLetterPage>;
  /** Makes dead letters due again, as if never tried: one, or all of an endpoint. Answers how many. */
  replay(endpointId: string, id: number | null): Promise<number>;
  depth(): Promise<OutboxDepth>;
}
