/** Where entries that cannot be read lie beside their queue, so that they hold up no other, until the ledger has them. */
import { isGateFault } from '../../domain/fault.ts';
import { invariant } from '../../domain/invariant.ts';
import { type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import type { Queue, UnreadEntry } from '../../ports/queue.ts';
import { BURY } from './commands.ts';
import type { Layout } from './layout.ts';
import type { Segments } from './segments.ts';

/** Of one segment: who fills a queue with rubbish fills no memory with it. What has no room waits in the queue. */
const ROOM = 1_000;

export interface Graves extends Pick<Queue, 'unread' | 'forget'> {
  /** False when there was no room for all. */
  bury(segment: SegmentKey, ids: readonly string[]): Promise<boolean>;
}

export function createGraves(layout: Layout, segments: Segments): Graves {
  /** Where something may lie, by name; null: everywhere, for somebody may have died before it was put aside. */
  let open: Map<string, SegmentKey> | null = null;

  return {
    async bury(segment, ids) {
      const { keys, connection } = await layout.placeOf(segment);
      open?.set(segmentName(segment), segment);
      const answer = await connection.run(BURY, { keys, arguments: { room: ROOM, count: ids.length }, more: ids });
      invariant(answer === 'buried' || answer === 'full', 'what is buried is named by its id');
      return answer === 'buried';
    },

    async unread() {
      open ??= await allOf(segments);
      for (const [name, segment] of open ?? []) {
        const found = await unlessAway(lookInto(layout, segment));
        if (found && found.length > 0) return found;
        if (found) open?.delete(name);
      }
      return [];
    },

    async forget(unread) {
      for (const { segment, id } of unread) {
        const { keys, connection } = await layout.placeOf(segment);
        await unlessAway(connection.command('HDEL', keys.buried, id));
      }
    },
  };
}

async function allOf(segments: Segments): Promise<Map<string, SegmentKey> | null> {
  const all = await unlessAway(segments.all());
  return all && new Map(all.map((segment) => [segmentName(segment), segment]));
}

/** Null: its master is away. There is time to look again, and what waits at the others is worth more. */
async function unlessAway<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (isGateFault(error)) return null;
    throw error;
  }
}

async function lookInto(layout: Layout, segment: SegmentKey): Promise<readonly UnreadEntry[]> {
  const { keys, connection } = await layout.placeOf(segment);
  // A foreign key in its place goes when something is buried.
  if ((await connection.command('TYPE', keys.buried)) !== 'hash') return [];
  const [, found] = (await connection.command('HSCAN', keys.buried, '0', 'COUNT', 100)) as [string, string[]];
  const entries: UnreadEntry[] = [];
  for (let at = 0; at + 1 < found.length; at += 2) {
    entries.push({ segment, id: found[at] ?? '', text: found[at + 1] ?? '' });
  }
  return entries;
}
