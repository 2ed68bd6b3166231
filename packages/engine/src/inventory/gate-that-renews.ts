/**
 * Claims that a gate was not ready for may have meant a server that is gone: the next ones mean the one that is there. The
 * keeper renews the session, too; a process that keeps no sale has nothing else.
 */
import { Fault } from '../domain/fault.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';
import type { Gate } from '../ports/gate.ts';
import type { GateSession } from './gate-session.ts';

export function gateThatRenews(gate: Gate, session: GateSession): Gate {
  return {
    ...gate,
    async claim(call, claims) {
      const outcomes = await gate.claim(call, claims);
      if (outcomes.some(({ kind }) => kind === 'not_ready')) await renew(session, call.segment);
      return outcomes;
    },
  };
}

/** What was claimed is answered, whether the server can be asked now or not. */
async function renew(session: GateSession, segment: SegmentKey): Promise<void> {
  try {
    await session.renew(segment);
  } catch (error) {
    if (!(error instanceof Fault && error.retryable)) throw error;
  }
}
