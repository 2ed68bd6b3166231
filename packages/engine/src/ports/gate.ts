/**
 * The gate: decides who takes a unit, for one segment at a time, atomically.
 *
 * Every call carries the server identity it believes in and a deadline on the gate's clock. When either is wrong the call
 * moves nothing (P2): a call that was sent, given up and run later must not surprise anybody. Repeating a call is harmless.
 */

import type { ClaimMark, ClaimRefusal } from '../domain/gate/decide-claim.ts';
import type { SegmentLoad } from '../domain/gate/plan-load.ts';
import type { BuyerId, OrderId } from '../domain/ids.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';
import type { QuotaTotals } from '../domain/inventory/quota-totals.ts';
import type { ReleaseDestination } from '../domain/ledger/release.ts';
import type { Claim, Position } from '../domain/order/claim.ts';
import type { SaleTerms } from '../domain/sale/sale.ts';

export interface GateCall {
  readonly segment: SegmentKey;
  /** As told by `identity` when the caller connected. */
  readonly identity: string;
  readonly deadlineMs: number;
}

export interface ClaimRequest {
  readonly orderId: OrderId;
  readonly buyerId: BuyerId;
  readonly channel: string;
  readonly units: number;
  /** The order has ended and money came late: an ended mark of it does not replay. */
  readonly isForLateMoney?: boolean;
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'replayed'; readonly mark: ClaimMark }
  /** Taken, and it is not known whether it is as safe as the deployment promises: the same claim again will tell. */
  | { readonly kind: 'unknown' }
  | ClaimRefusal;

export interface Credit {
  readonly moveId: string;
  readonly epoch: number;
  readonly channel: string;
  readonly units: number;
}

export interface Debit {
  readonly moveId: string;
  readonly epoch: number;
  readonly channel: string;
  /** At the most; null: all there are. */
  readonly units: number | null;
}

/** What a gate says of one of its segments. */
export interface SegmentView {
  readonly segment: SegmentKey;
  /** The identity that the segment was loaded under; a rebuild is due when it is not the server's. */
  readonly identity: string;
  readonly epoch: number;
  readonly terms: SaleTerms;
  /** By channel. */
  readonly availableUnits: ReadonlyMap<string, number>;
  /** By channel, since the load. */
  readonly totals: ReadonlyMap<string, QuotaTotals>;
  /** Claims that the gate has not been told are settled. */
  readonly unsettled: readonly Claim[];
  readonly appliedMoveIds: ReadonlySet<string>;
  /** What was debited, by move id. */
  readonly debitedUnits: ReadonlyMap<string, number>;
  /** Of the marks, those that were released; by claim id. */
  readonly releasedClaimIds: ReadonlySet<string>;
  /** The last claim made. */
  readonly position: Position;
  /** Rises in the very step that makes units claimable (P13). */
  readonly generation: number;
}

/** The move's figure, now or at the first time. */
export interface DebitAnswer {
  readonly kind: 'debited' | 'repeated';
  readonly units: number;
}

export type Refused = 'not_ready' | 'late';

/** A part of what a gate has, looked at for claims that are unsettled and have no entry in the queue. */
export interface StrayPage {
  readonly strays: readonly Claim[];
  /** The last claim made when the part was looked at; null when the segment cannot be told. */
  readonly position: Position | null;
  /** Some claim of this part is unsettled. */
  readonly isWaiting: boolean;
  /** Where to go on; null: there is no more. */
  readonly next: string | null;
}

/** The most claims that one call may carry: bounded by what a script may unpack, and by how long others wait for it. */
export const MAX_CLAIMS_PER_CALL = 256;

export interface Gate {
  /**
   * Who the server of a segment is; another process, the same one restarted, or one that was meanwhile another's replica, is
   * another identity. Segments may be at different servers, and those of a limit group are beside each other: whoever is to
   * load one says the group.
   */
  identity(segment: SegmentKey, limitGroup?: string): Promise<string>;

  /**
   * Judges up to MAX_CLAIMS_PER_CALL claims in the order given; each sees what those before it did. For every claim taken,
   * quota, mark and queue entry change together or not at all. A refused claim leaves no trace.
   */
  claim(call: GateCall, claims: readonly ClaimRequest[]): Promise<readonly ClaimOutcome[]>;

  /** Tells the gate which claims the ledger has (`settled`). Unknown ones are ignored; an `ended` mark stays ended. */
  markSettled(call: GateCall, claims: readonly Claim[]): Promise<'marked' | Refused>;

  /** Puts a move's units into a quota, once per move id; another epoch than the segment's is `not_ready`. */
  credit(call: GateCall, credit: Credit): Promise<'credited' | 'repeated' | Refused>;

  /**
   * Takes what the quota has, up to what is asked for, out of it, once per move id. The figure, which may be 0, is remembered
   * under the id and told to whoever asks again; another epoch than the segment's is `not_ready`. The id is forgotten with
   * its epoch only (P3).
   */
  debit(call: GateCall, debit: Debit): Promise<DebitAnswer | Refused>;

  /**
   * Ends a claim: frees the buyer's limit, and gives the units back to the quota when that is their destination, once per
   * claim. `unknown_claim`: there is no such mark, nothing was moved.
   */
  release(
    call: GateCall,
    claim: Claim,
    epoch: number,
    destination: ReleaseDestination,
  ): Promise<'released' | 'repeated' | 'unknown_claim' | Refused>;

  /** Changes what claims are judged by, at the given epoch only. `stale`: it has newer terms, and keeps them. */
  setTerms(call: GateCall, terms: SaleTerms, epoch: number): Promise<'set' | 'stale' | Refused>;

  /**
   * Replaces a whole segment. Refused unless the identity is the server's and the epoch higher than the one it has (P8).
   * The queue's entries stay.
   */
  load(call: GateCall, load: SegmentLoad): Promise<'loaded' | Refused>;

  /**
   * Looks for claims without an entry, from the beginning (null) or behind another page. All claims that were there from the
   * first page to the last are looked at, some perhaps twice. A segment that is only half there shows what it has. `queued`: ids of
   * claims that were just seen in the queue; they are not told, and those that came into it since may be.
   */
  strays(segment: SegmentKey, from: string | null, queued?: ReadonlySet<string>): Promise<StrayPage>;

  /**
   * Gives claims that are unsettled and have no entry one again, as the claims they are (P14); all others are left. Whoever
   * asks has seen that the ledger does not know them.
   */
  requeue(call: GateCall, claims: readonly Claim[]): Promise<'requeued' | Refused>;

  /** Null when there is no such segment here. */
  read(segment: SegmentKey): Promise<SegmentView | null>;
}
