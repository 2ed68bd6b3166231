/**
 * What every call to a gate carries: the identity of the segment's server when it was met, and a deadline. When the
 * server turns out to be another, the session is renewed for that segment; one loaded under the old identity stays
 * `not_ready` until it is rebuilt.
 */
import { type SegmentKey, segmentName } from '../domain/inventory/quota.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate, GateCall } from '../ports/gate.ts';

/** How long a call to a gate may be on its way before it must move nothing. */
export const GATE_CALL_MS = 2000;

export interface GateSession {
  call(segment: SegmentKey): Promise<GateCall>;
  /** Asks the segment's server who it is, and answers whether it is another one than before. */
  renew(segment: SegmentKey, limitGroup?: string): Promise<boolean>;
}

export function createGateSession(gate: Gate, clock: Clock): GateSession {
  // Bounded by the segments that exist.
  const identities = new Map<string, string>();

  async function meet(segment: SegmentKey, limitGroup?: string): Promise<string> {
    const identity = await gate.identity(segment, limitGroup);
    identities.set(segmentName(segment), identity);
    return identity;
  }

  return {
    async call(segment) {
      const identity = identities.get(segmentName(segment)) ?? (await meet(segment));
      return { segment, identity, deadlineMs: clock.nowMs() + GATE_CALL_MS };
    },
    async renew(segment, limitGroup) {
      const before = identities.get(segmentName(segment));
      return (await meet(segment, limitGroup)) !== before;
    },
  };
}
