/**
 * Which segments there are: those that were ever loaded, by a list in Redis, and those that this process has met. A Cluster
 * keeps the list with one of its masters; while that one is away the others' segments are loaded and read all the same, and
 * what it lacks when it is back is put in again.
 */
import { isGateFault } from '../../domain/fault.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import { LEDGERS_KEY, type Names, readSegment, writeSegment } from './keys.ts';
import type { Masters } from './masters.ts';

export interface Segments {
  /** It is there. */
  meet(segment: SegmentKey): void;
  /** It is about to be. */
  list(segment: SegmentKey): Promise<void>;
  all(): Promise<readonly SegmentKey[]>;
  /** As far as this process has heard. */
  knows(segment: SegmentKey): boolean;
  /** Nothing is in it, and it claims nothing. */
  isAtRest(segment: SegmentKey): Promise<boolean>;
  /** Of one at rest. Another process that has met it forgets it, too, when it finds it gone. */
  forget(segment: SegmentKey): Promise<void>;
}

export function createSegments(masters: Masters, names: Names): Segments {
  // Bounded by the segments that exist.
  const met = new Set<string>();
  const listed = new Set<string>();

  async function compare(): Promise<void> {
    const list = masters.of(names.segments);
    const members = (await list.command('SMEMBERS', names.segments)) as string[];
    listed.clear();
    for (const member of members) listed.add(member);
    const missing = [...met].filter((text) => !listed.has(text));
    const isForgotten = await Promise.all(missing.map((text) => isAtRest(readSegment(text))));
    for (const [at, text] of missing.entries()) if (isForgotten[at]) met.delete(text);
    const lost = missing.filter((_, at) => !isForgotten[at]);
    if (lost.length > 0) await list.command('SADD', names.segments, ...lost);
  }

  /** What is not on the list and is at rest was forgotten, and not lost. */
  async function isAtRest(segment: SegmentKey): Promise<boolean> {
    const group = await masters.of(names.groups).command('HGET', names.groups, segment.saleId);
    const { meta, stream } = names.keysOf(segment, typeof group === 'string' ? group : null);
    const master = masters.of(meta);
    const [state, entries] = await Promise.all([master.command('HGET', meta, 'state'), master.command('XLEN', stream)]);
    return (state === 'closed' || state === null) && entries === 0;
  }

  return {
    knows: (segment) => met.has(writeSegment(segment)) || listed.has(writeSegment(segment)),
    isAtRest,
    async forget(segment) {
      const text = writeSegment(segment);
      await masters.of(names.segments).command('SREM', names.segments, text);
      met.delete(text);
      listed.delete(text);
    },
    meet(segment) {
      met.add(writeSegment(segment));
    },
    async list(segment) {
      met.add(writeSegment(segment));
      try {
        await masters.of(names.segments).command('SADD', names.segments, writeSegment(segment));
        await masters.of(LEDGERS_KEY).command('SADD', LEDGERS_KEY, names.ledgerId);
      } catch (error) {
        // Whoever looks at all of them puts it in.
        if (!isGateFault(error)) throw error;
      }
    },
    async all() {
      try {
        await compare();
      } catch (error) {
        if (!isGateFault(error) || met.size + listed.size === 0) throw error;
      }
      return [...new Set([...met, ...listed])].toSorted().map(readSegment);
    },
  };
}
