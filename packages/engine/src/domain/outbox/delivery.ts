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
