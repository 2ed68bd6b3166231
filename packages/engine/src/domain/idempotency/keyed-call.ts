/** A call that its caller gave an idempotency key: reserved before anything is done, and answered the same for its life. */

export interface KeyedCall {
  /** Whose key it is; keys of two callers are never the same. At most 64 letters. */
  readonly scope: string;
  readonly key: string;
  /** Of all that the call asks for. */
  readonly fingerprint: string;
  /** Who has it in hand: of two calls with one key, which. */
  readonly holder: string;
}

export interface KeptAnswer {
  readonly status: number;
  readonly mediaType: string;
  /** Of the words in it; null when there are none. */
  readonly language: string | null;
  readonly body: string;
}

export interface KeyBounds {
  /** How long an answer is kept. */
  readonly lifeMs: number;
  /** How long a call may be in hand before it is thought dead. */
  readonly takeOverMs: number;
  /** Keys of one scope; the oldest make room. Null: as many as come within their life. */
  readonly maxKeys: number | null;
}

/** What is known of a key. */
export interface KnownKey extends KeyedCall {
  readonly reservedAtMs: number;
  /** Null: in hand. */
  readonly answer: KeptAnswer | null;
}

export type Reservation =
  /** It is the caller's: act, then keep the answer or let the key go. */
  | { readonly kind: 'reserved' }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  | { readonly kind: 'in_hand' }
  | { readonly kind: 'differs' };

/**
 * Pure. A call whose process died is taken over: what it did is done again, which every call bears. What is asked twice by
 * one holder, because the answer was lost, is answered the same.
 */
export function decideReservation(
  known: KnownKey | null,
  call: KeyedCall,
  { lifeMs, takeOverMs }: KeyBounds,
  nowMs: number,
): Reservation {
  const ageMs = known ? nowMs - known.reservedAtMs : 0;
  if (!known || ageMs >= lifeMs) return { kind: 'reserved' };
  if (known.fingerprint !== call.fingerprint) return { kind: 'differs' };
  if (known.answer) return { kind: 'answered', answer: known.answer };
  return known.holder === call.holder || ageMs >= takeOverMs ? { kind: 'reserved' } : { kind: 'in_hand' };
}
