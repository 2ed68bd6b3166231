/**
 * Moves: units on their way between the centre and a quota, by id, so that doing one twice is doing it once.
 *
 * Out: the ledger gives the units first, so they are in transit until the gate has been credited. Back: the intent is written
 * first and moves nothing; the gate debits what it really has and remembers the figure, and from then until the ledger has
 * finished the return they are in transit. A rebuild closes both kinds: an open move is in its load, an open return is void,
 * for what it debited was debited at a gate that is no more.
 */
import type { QuotaKey } from './quota.ts';

export interface Move {
  readonly id: string;
  readonly quota: QuotaKey;
  readonly units: number;
  /** The segment's epoch when the move was issued: another epoch's gate refuses it, its rebuild has absorbed it. */
  readonly epoch: number;
}

/** A move back: an intent, until its gate says what it had. */
export interface ReturnMove {
  readonly id: string;
  readonly quota: QuotaKey;
  /** At the most; null: all there are. */
  readonly units: number | null;
  readonly epoch: number;
  /** The segment whose quota, of the same region and channel, they go on to; null: the centre keeps them. */
  readonly onwardTo: number | null;
}

/** The move that a return's units go on with is known by it. */
export function onwardMoveId(returnId: string): string {
  return `${returnId}>`;
}

/** The quota that a return's units go on to. */
export function onwardQuota({ quota, onwardTo }: ReturnMove): QuotaKey | null {
  const { saleId, region, channel } = quota;
  return onwardTo === null ? null : { saleId, region, segment: onwardTo, channel };
}
