/**
 * The server of gate and queue, which can be restarted: with all it had, with none of it, or with what it had a while ago,
 * as one does that wrote its memory to disk, or whose replica took over. It is another server each time (P1).
 */
import { createMemoryGate, type Server } from '../adapters/memory/gate.ts';
import { createMemoryQueue } from '../adapters/memory/queue.ts';
import type { Segment } from '../adapters/memory/segment.ts';
import { segmentName } from '../domain/inventory/quota.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from '../ports/gate.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Queue, QueueEntry } from '../ports/queue.ts';
import type { Wallet } from '../ports/wallet.ts';

export type Memory = 'kept' | 'lost' | 'older';

export interface GateServer {
  readonly gate: Gate;
  readonly queue: Queue;
  /** What a restart with an older memory goes back to. */
  remember(): Promise<void>;
  restart(memory: Memory): void;
}

/** All that a deployment stores. */
export interface Stores extends GateServer {
  readonly ledger: Ledger;
  readonly wallet: Wallet;
}

interface Remembered {
  readonly segment: Segment;
  readonly entries: readonly QueueEntry[];
}

export function createGateServer(clock: Clock, idSource: IdSource): GateServer {
  const server: Server = { identity: idSource.newId(), segments: new Map() };
  const queue = createMemoryQueue(clock);
  let remembered: readonly Remembered[] = [];

  return {
    gate: createMemoryGate({ clock, server, queue }),
    queue,
    async remember() {
      const segments = [...server.segments.values()].map(copyOf);
      remembered = await Promise.all(
        segments.map(async (segment) => ({ segment, entries: await queue.peek(segment.key) })),
      );
    },
    restart(memory) {
      server.identity = idSource.newId();
      if (memory === 'kept') return;
      server.segments.clear();
      queue.lose();
      if (memory === 'lost') return;
      for (const { segment, entries } of remembered) {
        server.segments.set(segmentName(segment.key), copyOf(segment));
        if (entries.length > 0) queue.put(segment.key, entries);
      }
    },
  };
}

function copyOf(segment: Segment): Segment {
  return {
    ...segment,
    availableUnits: new Map(segment.availableUnits),
    marks: new Map([...segment.marks].map(([buyerId, marks]) => [buyerId, [...marks]])),
    unsettled: new Map(segment.unsettled),
    releasedClaimIds: new Set(segment.releasedClaimIds),
    appliedMoveIds: new Set(segment.appliedMoveIds),
    debitedUnits: new Map(segment.debitedUnits),
  };
}
