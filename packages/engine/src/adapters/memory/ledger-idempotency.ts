/** Idempotency keys in memory. */
import {
  decideReservation,
  type KeyBounds,
  type KeyedCall,
  type KnownKey,
} from '../../domain/idempotency/keyed-call.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Idempotency, MAX_FORGOTTEN } from '../../ports/idempotency.ts';

export function createMemoryIdempotency(clock: Clock): Idempotency {
  /** By scope and key, oldest reservation first. */
  const known = new Map<string, KnownKey>();

  function forget({ lifeMs }: KeyBounds): void {
    const bornBeforeMs = clock.nowMs() - lifeMs;
    const old = [...known].filter(([, { reservedAtMs }]) => reservedAtMs <= bornBeforeMs).slice(0, MAX_FORGOTTEN);
    for (const [name] of old) known.delete(name);
  }

  function makeRoom(scope: string, maxKeys: number | null): void {
    if (maxKeys === null) return;
    const ofScope = [...known].filter(([, each]) => each.scope === scope);
    for (const [name] of ofScope.slice(0, Math.max(0, ofScope.length - maxKeys))) known.delete(name);
  }

  /** The reservation of this very holder, while it waits for its answer. */
  function inHand(call: KeyedCall): KnownKey | null {
    const found = known.get(nameOf(call));
    return found && found.holder === call.holder && found.answer === null ? found : null;
  }

  return {
    async reserve(call, bounds) {
      const nowMs = clock.nowMs();
      const reservation = decideReservation(known.get(nameOf(call)) ?? null, call, bounds, nowMs);
      if (reservation.kind !== 'reserved') return reservation;
      known.delete(nameOf(call));
      known.set(nameOf(call), { ...call, reservedAtMs: nowMs, answer: null });
      makeRoom(call.scope, bounds.maxKeys);
      forget(bounds);
      return reservation;
    },

    async keep(call, answer) {
      const found = inHand(call);
      if (found) known.set(nameOf(call), { ...found, answer });
    },

    async letGo(call) {
      if (inHand(call)) known.delete(nameOf(call));
    },
  };
}

function nameOf({ scope, key }: KeyedCall): string {
  return `${scope} ${key}`;
}
