/**
 * Where a segment is: the names of its keys, and the master that has them now. Sales of one limit group share a hash tag, and
 * which group a sale is in does not stand in what names a segment: it is looked up once, where the load has written it, and
 * never changes.
 */
import { Fault } from '../../domain/fault.ts';
import type { SaleId } from '../../domain/ids.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { RedisConnection } from './connection.ts';
import { type Names, type SegmentKeys, type StagedKeys, writeSegment } from './keys.ts';
import type { Masters } from './masters.ts';
import type { Segments } from './segments.ts';

export interface SegmentPlace {
  readonly keys: SegmentKeys;
  readonly connection: RedisConnection;
}

export interface Layout {
  /** Throws `gate_unavailable` while nobody is known to have it. */
  placeOf(segment: SegmentKey): Promise<SegmentPlace>;
  stagedKeysOf(segment: SegmentKey, limitGroup: string | null, attempt: string): StagedKeys;
  /** Where it is going to be, before it was ever loaded. */
  meet(segment: SegmentKey, limitGroup: string | null): void;
  /** Before anything of the segment is written. */
  settleIn(segment: SegmentKey, limitGroup: string | null): Promise<void>;
}

export function createLayout(masters: Masters, segments: Segments, names: Names): Layout {
  /** Of sales that are loaded somewhere. */
  const groups = new Map<SaleId, string | null>();

  async function lookUp(segment: SegmentKey): Promise<string | null> {
    // In this order: the group is written before the segment is listed, so of one that is listed it is known.
    const isListed = await masters.of(names.segments).command('SISMEMBER', names.segments, writeSegment(segment));
    const group = await masters.of(names.groups).command('HGET', names.groups, segment.saleId);
    const found = typeof group === 'string' ? group : null;
    if (found !== null || isListed === 1) groups.set(segment.saleId, found);
    return found;
  }

  return {
    async placeOf(segment) {
      const known = groups.get(segment.saleId);
      const group = known === undefined ? await lookUp(segment).catch(asNothingDone) : known;
      const keys = names.keysOf(segment, group);
      return { keys, connection: masters.of(keys.meta) };
    },
    stagedKeysOf: names.stagedKeysOf,
    meet(segment, limitGroup) {
      groups.set(segment.saleId, limitGroup);
    },
    async settleIn(segment, limitGroup) {
      if (limitGroup !== null) {
        await masters.of(names.groups).command('HSET', names.groups, segment.saleId, limitGroup);
      }
      await segments.list(segment);
      groups.set(segment.saleId, limitGroup);
    },
  };
}

/** A look whose answer was lost has changed nothing, and neither has the call that it was for. */
function asNothingDone(error: unknown): never {
  const isUnclear = error instanceof Fault && error.code === 'outcome_unknown';
  throw isUnclear ? new Fault('gate_unavailable', undefined, error) : error;
}
