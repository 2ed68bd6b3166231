/** One Redis that is gate, queue and order feed at once. */
import type { ClaimMarks } from '../../ports/claim-marks.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Gate } from '../../ports/gate.ts';
import type { LendingLine } from '../../ports/lending-line.ts';
import type { OrderFeed } from '../../ports/order-feed.ts';
import type { Queue } from '../../ports/queue.ts';
import { readRedisAddress } from './address.ts';
import { createArrivals } from './arrivals.ts';
import { createRedisClaimMarks } from './claim-marks.ts';
import { createRedisGate } from './gate.ts';
import { openHints } from './hints.ts';
import { createNames } from './keys.ts';
import { createLayout } from './layout.ts';
import { createLendingLine } from './lending-line.ts';
import { type MastersOptions, openMasters } from './open-masters.ts';
import { createRedisOrderFeed } from './order-feed.ts';
import { type OnPolicy, watchPolicies } from './policy-watch.ts';
import { createRedisQueue } from './queue.ts';
import { createIsReplicated } from './replicated.ts';
import { createSegments } from './segments.ts';
import { warningsAbout } from './server-settings.ts';
import { strangerSentences, strangersIn } from './strangers.ts';

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
  /** False while a server may throw keys of a sale away. */
  isSafe(): boolean;
  close(): void;
}

export interface RedisStoreOptions extends MastersOptions {
  /** Of the ledger whose sales it holds. */
  readonly ledgerId: string;
  /** A claim counts once a replica has it, too. */
  readonly asksReplica?: boolean;
  readonly clock: Clock;
  /** Nobody is told when not given. */
  readonly onPolicy?: OnPolicy;
}

/** Throws a fault when the server cannot be reached, or may throw away what it holds. */
export async function openRedisStore({
  clock,
  url,
  ledgerId,
  asksReplica = false,
  onPolicy = () => {},
  ...options
}: RedisStoreOptions): Promise<RedisStore> {
  const masters = await openMasters({ ...options, url });
  try {
    const warnings = [
      ...(await warningsAbout(masters.all(), asksReplica)),
      ...strangerSentences(await strangersIn(masters, ledgerId)),
    ];
    const hints = await openHints(readRedisAddress(url), options.times);
    const names = createNames(ledgerId);
    const segments = createSegments(masters, names);
    const layout = createLayout(masters, segments, names);
    const arrivals = createArrivals(hints, names, clock);
    const policies = watchPolicies(masters, clock, onPolicy);
    return {
      gate: createRedisGate({
        layout,
        segments,
        isReplicated: asksReplica ? createIsReplicated() : null,
        onQueued: arrivals.tell,
      }),
      queue: createRedisQueue({ layout, segments, onArrival: arrivals.listen }),
      marks: createRedisClaimMarks(layout),
      feed: createRedisOrderFeed(hints, names),
      lendingLine: createLendingLine(hints, names, clock),
      serverClock: { ...clock, nowMs: () => clock.nowMs() + masters.clockOffsetMs },
      warnings,
      isSafe: policies.isSafe,
      close() {
        policies.close();
        hints.close();
        masters.close();
      },
    };
  } catch (error) {
    masters.close();
    throw error;
  }
}
