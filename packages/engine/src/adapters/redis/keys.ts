/**
 * Names of the keys. All keys of a segment share one hash tag, so that a script may touch them together in a cluster, too.
 */
import { invariant } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';

const PREFIX = 'sluice';

/** Which segments were ever loaded: where a reader of the queue looks. */
export const SEGMENTS_KEY = `${PREFIX}:segments`;
export const ARRIVALS_CHANNEL = `${PREFIX}:arrivals`;
export const ORDERS_CHANNEL = `${PREFIX}:orders`;
/** What processes without a ledger ask of those that have one. */
export const QUESTIONS_CHANNEL = `${PREFIX}:questions`;

/** Where one process hears its answers. */
export function answersChannel(process: string): string {
  return `${PREFIX}:answers:${process}`;
}

export interface SegmentKeys {
  /** Identity, epoch, terms, seq, generation, and what each quota has. */
  readonly meta: string;
  /** Buyer -> his claims; the empty field holds the epoch. */
  readonly buyers: string;
  readonly stream: string;
  /** Unsettled claims that may have no entry in the stream. */
  readonly loose: string;
  readonly released: string;
  readonly moves: string;
}

export interface StagedKeys {
  readonly staged_buyers: string;
  readonly staged_loose: string;
  readonly staged_released: string;
}

export function keysOf(segment: SegmentKey): SegmentKeys {
  const key = (part: string) => `${tagOf(segment)}:${part}`;
  return {
    ...{ meta: key('meta'), buyers: key('buyers'), stream: key('stream') },
    ...{ loose: key('loose'), released: key('released'), moves: key('moves') },
  };
}

/** Each attempt to load stages under names of its own. */
export function stagedKeysOf(segment: SegmentKey, attempt: string): StagedKeys {
  const key = (part: string) => `${tagOf(segment)}:staged:${attempt}:${part}`;
  return { staged_buyers: key('buyers'), staged_loose: key('loose'), staged_released: key('released') };
}

function tagOf({ saleId, region, segment }: SegmentKey): string {
  return `${PREFIX}:{${encodeURIComponent(saleId)}:${encodeURIComponent(region)}:${segment}}`;
}

export function writeSegment({ saleId, region, segment }: SegmentKey): string {
  return JSON.stringify([saleId, region, segment]);
}

export function readSegment(text: string): SegmentKey {
  const [saleId, region, segment]: unknown[] = JSON.parse(text);
  invariant(
    typeof saleId === 'string' && typeof region === 'string' && typeof segment === 'number',
    'the list of segments is ours',
  );
  return { saleId, region, segment };
}
