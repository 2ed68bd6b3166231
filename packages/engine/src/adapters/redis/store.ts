/** One Redis that is gate, queue and order feed at once. */
import type { ClaimMarks } from '../../ports/claim-marks.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Gate } from '../../ports/gate.ts';
import type { LendingLine } from '../../ports/lending-line.ts';
import type { OrderFeed } from '../../ports/order-feed.ts';
import type { Queue } from '../../ports/queue.ts';
import { createArrivals } from './arrivals.ts';
import { createRedisClaimMarks } from './claim-marks.ts';
import { type ConnectionOptions, openConnection } from './connection.ts';
import { createRedisGate } from './gate.ts';
import { openHints } from './hints.ts';
import { createLendingLine } from './lending-line.ts';
import { createRedisOrderFeed } from './order-feed.ts';
import { createRedisQueue } from './queue.ts';
import { warningsAbout } from './server-settings.ts';

export interface RedisStore {
  readonly gate: Gate;
  readonly queue: Queue;
  readonly marks: ClaimMarks;
  readonly feed: OrderFeed;
  readonly lendingLine: LendingLine;
  /** The server's wall clock: what deadlines of calls are told by. */
  readonly serverClock: Clock;
  /** What an operator should know of how the server is set up. */
  readonly warnings: readonly string[];
  close(): void;
}

export interface RedisStoreOptions extends ConnectionOptions {
  readonly clock: Clock;
}

/** Throws a fault when the server cannot be reached, or may throw away what it holds. */
export async function openRedisStore({ clock, ...options }: RedisStoreOptions): Promise<RedisStore> {
  const connection = await openConnection(options);
  try {
    const warnings = await warningsAbout(connection);
    const hints = await openHints(options.url, options.times);
    const arrivals = createArrivals(hints, clock);
    return {
      gate: createRedisGate({ connection, onQueued: arrivals.tell }),
      queue: createRedisQueue(connection, arrivals.listen),
      marks: createRedisClaimMarks(connection),
      feed: createRedisOrderFeed(hints),
      lendingLine: createLendingLine(hints, clock),
      serverClock: { ...clock, nowMs: () => clock.nowMs() + connection.clockOffsetMs },
      warnings,
      close() {
        hints.close();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
