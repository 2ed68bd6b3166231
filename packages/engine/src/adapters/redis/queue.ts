/**
 * The queue in Redis: a stream for each segment, read by one group. The gate's claim script puts entries in. A lease is the
 * group's pending entry: what was read and not removed is given again when its reader has been silent for too long. An entry
 * holds the winners of one claim call, and the port knows claims: one that is read or removed in part is divided, and each of
 * its claims has a lease of its own.
 */
import { isGateFault } from '../../domain/fault.ts';
import { invariant } from '../../domain/invariant.ts';
import { type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import { type Claim, segmentOf } from '../../domain/order/claim.ts';
import { type Queue, type QueueEntry, TAKE_OVER_AFTER_MS } from '../../ports/queue.ts';
import { QUEUE_DEPTH, QUEUE_PEEK, QUEUE_READ, QUEUE_REMOVE } from './commands.ts';
import { createGraves } from './graves.ts';
import type { Layout } from './layout.ts';
import { nameOf } from './marks.ts';
import { type Entry, readBuried, readEntries } from './read-entry.ts';
import type { Segments } from './segments.ts';
import { letGo } from './settled-keys.ts';

/** Claims of one removal, which the script bounds, and of one look. */
const REMOVED_AT_ONCE = 256;
const PEEKED_AT_ONCE = 1_000;
/** Far above what a living reader is ever silent for. */
const FORGET_READER_MS = 3_600_000;

export interface RedisQueueParts {
  readonly layout: Layout;
  readonly segments: Segments;
  readonly onArrival: Queue['onArrival'];
}

export function createRedisQueue({ layout, segments, onArrival }: RedisQueueParts): Queue {
  const graves = createGraves(layout, segments);
  /** Where the last read began: the next begins with the others, so that one busy segment cannot starve them. */
  let turn = 0;

  /** Those that have entries, read or not: sales that are over cost a look each, and no script. */
  async function withEntries(): Promise<readonly SegmentKey[]> {
    const sizes = await ofThoseThere(await segments.all(), async (segment) => {
      const { keys, connection } = await layout.placeOf(segment);
      return { segment, size: Number(await connection.command('XLEN', keys.stream)) };
    });
    return sizes.filter(({ size }) => size > 0).map(({ segment }) => segment);
  }

  async function readOne(segment: SegmentKey, consumer: string, max: number): Promise<readonly QueueEntry[]> {
    const { keys, connection } = await layout.placeOf(segment);
    for (;;) {
      const reply = await connection.run(QUEUE_READ, {
        keys,
        arguments: { consumer, take_over_ms: TAKE_OVER_AFTER_MS, max, forget_ms: FORGET_READER_MS },
      });
      const { entries, unreadable } = readEntries(segment, reply as readonly Entry[]);
      if (unreadable.length === 0) return entries;
      const hasRoom = await graves.bury(segment, unreadable);
      if (entries.length > 0 || !hasRoom) return entries;
    }
  }

  return {
    async read(consumer, max, isWanted = () => true) {
      const all = (await withEntries()).filter(isWanted);
      const entries: QueueEntry[] = [];
      turn = (turn + 1) % Math.max(1, all.length);
      for (const segment of [...all.slice(turn), ...all.slice(0, turn)]) {
        if (entries.length >= max) break;
        try {
          entries.push(...(await readOne(segment, consumer, max - entries.length)));
        } catch (error) {
          // What was read is settled first. What was read and not heard of is taken over later.
          if (entries.length === 0) throw error;
          break;
        }
      }
      return entries;
    },

    unread: graves.unread,
    forget: graves.forget,
    readAgain: ({ segment, id, text }) => readBuried(segment, id, text),

    async remove(claims) {
      const bySegment = grouped(claims);
      for (const named of bySegment.values()) {
        for (let from = 0; from < named.length; from += REMOVED_AT_ONCE) {
          await remove(layout, named.slice(from, from + REMOVED_AT_ONCE));
        }
      }
    },

    async peek(segment) {
      const { keys, connection } = await layout.placeOf(segment);
      const entries: QueueEntry[] = [];
      for (let from = '-'; ; ) {
        const reply = await connection.run(QUEUE_PEEK, { keys, arguments: { from, max: PEEKED_AT_ONCE } });
        const [last, ...page] = reply as [string, ...Entry[]];
        entries.push(...readEntries(segment, page).entries);
        if (last === '') return entries;
        from = `(${last}`;
      }
    },

    async retire(retired) {
      for (const segment of retired.filter(segments.knows)) {
        const place = await layout.placeOf(segment);
        if ((await place.connection.command('EXISTS', place.keys.buried)) !== 0) continue;
        if (!(await segments.isAtRest(segment))) continue;
        // Before it is forgotten: whoever dies in between leaves it to the next.
        await letGo(place);
        await segments.forget(segment);
      }
    },

    async depth() {
      const all = await withEntries();
      const depths = await ofThoseThere(all, async (segment) => {
        const { keys, connection } = await layout.placeOf(segment);
        return connection.run(QUEUE_DEPTH, { keys, arguments: {} });
      });
      const filled = depths.map((reply) => reply.map(Number)).filter(([claims]) => claims);
      return {
        entries: filled.reduce((sum, [claims = 0]) => sum + claims, 0),
        oldestAgeMs: filled.length === 0 ? null : Math.max(...filled.map(([, ageMs = 0]) => ageMs)),
      };
    },

    onArrival,
  };
}

/** Of a Cluster one master may be away: what the others answer, or the fault when none does. */
async function ofThoseThere<Answer>(
  segments: readonly SegmentKey[],
  ask: (segment: SegmentKey) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers = await Promise.allSettled(segments.map(async (segment) => ask(segment)));
  const failed = answers.filter((answer) => answer.status === 'rejected');
  const fatal = failed.find(({ reason }) => !isGateFault(reason));
  if (fatal) throw fatal.reason;
  if (failed[0] && failed.length === answers.length) throw failed[0].reason;
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

async function remove(layout: Layout, claims: readonly Claim[]): Promise<void> {
  const [first] = claims;
  if (!first) return;
  const segment = segmentOf(first);
  const names = claims.map((claim) => nameOf(claim, segment));
  const { keys, connection } = await layout.placeOf(segment);
  const answer = await connection.run(QUEUE_REMOVE, {
    keys,
    arguments: { count: claims.length },
    more: [
      ...names.map((name) => name.position),
      ...names.map((name) => name.order_id),
      ...names.map((name) => name.channel),
      ...claims.map((claim) => claim.buyerId),
    ],
  });
  invariant(answer === 'removed', 'a removal names no more than it may');
}

function grouped(claims: readonly Claim[]): ReadonlyMap<string, readonly Claim[]> {
  const groups = new Map<string, Claim[]>();
  for (const claim of claims) {
    const name = segmentName(segmentOf(claim));
    const group = groups.get(name);
    if (group) group.push(claim);
    else groups.set(name, [claim]);
  }
  return groups;
}
