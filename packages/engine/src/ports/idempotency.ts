/**
 * Calls that carry an idempotency key, and their first answers. It keeps no more than its bounds say, for no longer; what is
 * too old goes with the reservations that come later.
 */
import type { KeptAnswer, KeyBounds, KeyedCall, Reservation } from '../domain/idempotency/keyed-call.ts';

/** What is too old and goes with one reservation: more than one comes in, and little enough to wait for. */
export const MAX_FORGOTTEN = 100;

export interface Idempotency {
  /** Of calls with one key that come at once, one gets it. Repeated by the same holder: the same. */
  reserve(call: KeyedCall, bounds: KeyBounds): Promise<Reservation>;

  /** Keeps the answer of a call; the first one stays. Nothing when the key is another holder's by now. */
  keep(call: KeyedCall, answer: KeptAnswer): Promise<void>;

  /** The next call with this key acts again. Nothing when it is another holder's, or answered. */
  letGo(call: KeyedCall): Promise<void>;
}
