/**
 * Where the keys of a segment are. Sales of one limit group share a hash tag, and which group a sale is in does not stand in
 * what names a segment: it is looked up once, where the load has written it, and never changes.
 */
import { Fault } from '../../domain/fault.ts';
import type { SaleId } from '../../domain/ids.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { RedisConnection } from './connection.ts';
import { GROUPS_KEY, keysOf, SEGMENTS_KEY, type SegmentKeys, writeSegment } from './keys.ts';

export interface Layout {
  keysOf(segment: SegmentKey): Promise<SegmentKeys>;
  /** Before anything of the segment is written. */
  settleIn(segment: SegmentKey, limitGroup: string | null): Promise<void>;
}

/** What reads or changes segments. */
export interface LaidOut {
  readonly connection: RedisConnection;
  readonly layout: Layout;
}

export function createLayout(connection: Pick<RedisConnection, 'command'>): Layout {
  /** Of sales that are loaded somewhere. */
  const groups = new Map<SaleId, string | null>();

  async function lookUp(segment: SegmentKey): Promise<string | null> {
    // In this order: the group is written before the segment is listed, so of one that is listed it is known.
    const [isListed, group] = await Promise.all([
      connection.command('SISMEMBER', SEGMENTS_KEY, writeSegment(segment)),
      connection.command('HGET', GROUPS_KEY, segment.saleId),
    ]).catch(asNothingDone);
    const found = typeof group === 'string' ? group : null;
    if (found !== null || isListed === 1) groups.set(segment.saleId, found);
    return found;
  }

  return {
    async keysOf(segment) {
      const known = groups.get(segment.saleId);
      return keysOf(segment, known === undefined ? await lookUp(segment) : known);
    },
    async settleIn(segment, limitGroup) {
      if (limitGroup !== null) await connection.command('HSET', GROUPS_KEY, segment.saleId, limitGroup);
      await connection.command('SADD', SEGMENTS_KEY, writeSegment(segment));
      groups.set(segment.saleId, limitGroup);
    },
  };
}

/** A look whose answer was lost has changed nothing, and neither has the call that it was for. */
function asNothingDone(error: unknown): never {
  const isUnclear = error instanceof Fault && error.code === 'outcome_unknown';
  throw isUnclear ? new Fault('gate_unavailable', undefined, error) : error;
}
