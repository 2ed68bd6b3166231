/**
 * How a gate judges one claim. This is the specification: the memory gate applies it, and every script that decides for
 * itself is held to it by a differential test.
 *
 * Law: replay is looked at before everything that can change (state, window, stock), so that a win is answered for ever;
 * stock is looked at last, so that nothing is said about it to those who could not have bought. The limit of a group is
 * looked at with what is there: a gate may have lost the claims of another sale, and the ledger says the last word.
 */
import type { OrderId } from '../ids.ts';
import type { Origin } from '../order/claim.ts';
import { isWithinLimit } from '../sale/purchase-limit.ts';
import type { SaleTerms } from '../sale/sale.ts';
import { phaseAt } from '../sale/schedule.ts';

/**
 * What a gate remembers of a claim: `claimed` until the ledger has it, `settled` while its order lives, `ended` when its
 * units have gone back.
 */
export interface ClaimMark {
  readonly orderId: OrderId;
  readonly units: number;
  readonly origin: Origin;
  readonly state: 'claimed' | 'settled' | 'ended';
}

/** What the gate holds when one claim comes to be judged. */
export interface ClaimSituation {
  /** False when the segment is missing, half loaded, or loaded on another server: it sells nothing. */
  readonly ready: boolean;
  readonly terms: SaleTerms;
  /** Null: this segment has no quota for the channel. */
  readonly availableUnits: number | null;
  /** All claims of this buyer in this segment. */
  readonly marks: readonly ClaimMark[];
  /** Those in the other sales of its limit group, as far as they are at this gate. */
  readonly marksBeside: readonly ClaimMark[];
  /** The gate's own clock. */
  readonly nowMs: number;
  /** Run later than this, the claim moves nothing: its caller may have given up and asked again. */
  readonly deadlineMs: number;
}

export type ClaimRefusal =
  | { readonly kind: 'late' }
  | { readonly kind: 'content_differs'; readonly units: number }
  | { readonly kind: 'not_ready' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'not_started'; readonly startsAtMs: number }
  | { readonly kind: 'over' }
  | { readonly kind: 'over_limit'; readonly liveOrderIds: readonly OrderId[] }
  /** The quota is empty. Not an answer to the buyer: others may have units. */
  | { readonly kind: 'dry' }
  | { readonly kind: 'not_enough_left'; readonly leftUnits: number };

export type ClaimDecision =
  | { readonly kind: 'take' }
  | { readonly kind: 'replay'; readonly mark: ClaimMark }
  | ClaimRefusal;

export function decideClaim(
  situation: ClaimSituation,
  claim: { readonly orderId: OrderId; readonly units: number; readonly isForLateMoney?: boolean },
): ClaimDecision {
  const { terms, marks, availableUnits } = situation;
  if (situation.nowMs > situation.deadlineMs) return { kind: 'late' };

  const { isForLateMoney = false } = claim;
  const earlier = earlierMark(marks, claim.orderId);
  if (earlier && !(isForLateMoney && earlier.state === 'ended')) {
    if (earlier.units !== claim.units) return { kind: 'content_differs', units: earlier.units };
    return { kind: 'replay', mark: earlier };
  }

  if (!situation.ready || terms.state === 'draft') return { kind: 'not_ready' };
  if (terms.state !== 'live' && terms.state !== 'paused') return { kind: 'closed' };
  // Who has paid was in time once: neither a pause nor the end of the window is held against the money.
  if (!isForLateMoney) {
    if (terms.state === 'paused') return { kind: 'paused' };
    const phase = phaseAt(terms, situation.nowMs);
    if (phase === 'upcoming') return { kind: 'not_started', startsAtMs: terms.startsAtMs };
    if (phase === 'over') return { kind: 'over' };
  }

  const live = [...marks, ...situation.marksBeside].filter((mark) => mark.state !== 'ended');
  const takenUnits = live.reduce((sum, mark) => sum + mark.units, 0);
  if (!isWithinLimit(takenUnits, claim.units, terms.limitUnits)) {
    return { kind: 'over_limit', liveOrderIds: [...new Set(live.map((mark) => mark.orderId))] };
  }

  if (availableUnits === null) return { kind: 'not_ready' };
  if (availableUnits === 0) return { kind: 'dry' };
  if (availableUnits < claim.units) return { kind: 'not_enough_left', leftUnits: availableUnits };
  return { kind: 'take' };
}

/** Of several marks of one order the living one: a second claim that was released must not hide it. */
export function earlierMark(marks: readonly ClaimMark[], orderId: OrderId): ClaimMark | null {
  let earlier: ClaimMark | null = null;
  for (const mark of marks) {
    if (mark.orderId === orderId && (earlier === null || earlier.state === 'ended')) earlier = mark;
  }
  return earlier;
}
