/**
 * What every call to a gate carries: the identity of the server that was met when the session began, and a deadline. When
 * the server turns out to be another, the session is renewed; segments loaded under the old identity stay `not_ready`
 * until they are rebuilt.
 */
import type { SegmentKey } from '../domain/inventory/quota.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate, GateCall } from '../ports/gate.ts';

/** How long a call to a gate may be on its way before it must move nothing. */
export const GATE_CALL_MS = 2000;

export interface GateSession {
  call(segment: SegmentKey): Promise<GateCall>;
  /** Asks the server who it is, and answers whether it is another one than before. */
  renew(): Promise<boolean>;
}

export function createGateSession(gate: Gate, clock: Clock): GateSession {
  let identity: string | null = null;
  return {
    async call(segment) {
      identity ??= await gate.identity();
      return { segment, identity, deadlineMs: clock.nowMs() + GATE_CALL_MS };
    },
    async renew() {
      const before = identity;
      identity = await gate.identity();
      return identity !== before;
    },
  };
}
