/**
 * One in-memory server that is gate and queue at once, as one Redis is: a claim takes units, leaves its mark and queues its
 * entry in one turn.
 */
import { segmentName } from '../../domain/inventory/quota.ts';
import type { ClaimMarks } from '../../ports/claim-marks.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Gate } from '../../ports/gate.ts';
import type { IdSource } from '../../ports/id-source.ts';
import type { Queue } from '../../ports/queue.ts';
import { createMemoryGate, type Server } from './gate.ts';
import { createMemoryQueue } from './queue.ts';

export interface MemoryStoreParts {
  readonly clock: Clock;
  readonly idSource: IdSource;
}

export interface MemoryStore {
  readonly gate: Gate;
  readonly queue: Queue;
  readonly marks: ClaimMarks;
  /** A restart without persistence: another identity; segments and queue are gone. */
  lose(): void;
}

export function createMemoryStore({ clock, idSource }: MemoryStoreParts): MemoryStore {
  const server: Server = { identity: idSource.newId(), segments: new Map() };
  const queue = createMemoryQueue(clock);
  return {
    gate: createMemoryGate({ clock, server, queue }),
    queue,
    marks: {
      isNear: true,
      async ofBuyer(segment, buyerId) {
        return [...(server.segments.get(segmentName(segment))?.marks.get(buyerId) ?? [])];
      },
    },
    lose() {
      server.identity = idSource.newId();
      server.segments.clear();
      queue.lose();
    },
  };
}
