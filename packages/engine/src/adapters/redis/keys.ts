/**
 * Names of keys and channels. All of them begin with the id of the ledger whose sales they hold: what another ledger has in the
 * same Redis has other names, and is neither read nor written. All keys of a segment share one hash tag, and so do the same
 * segments of all sales of a limit group, so that a script may touch them together in a cluster, too.
 */
import type { SaleId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import { limitScopeOf } from '../../domain/sale/limit-scope.ts';
import { spreadTag } from './slots.ts';

const PREFIX = 'sluice';

/** The ids of the ledgers that have, or had, something in this Redis. */
export const LEDGERS_KEY = `${PREFIX}:ledgers`;

/** Of one ledger. */
export interface Names {
  readonly ledgerId: string;
  /** Which segments were ever loaded: where a reader of the queue looks. */
  readonly segments: string;
  /** Sale -> its limit group, of those that are in one. */
  readonly groups: string;
  readonly arrivalsChannel: string;
  readonly ordersChannel: string;
  /** What processes without a ledger ask of those that have one. */
  readonly questionsChannel: string;
  /** Where one process hears its answers. */
  answersChannel(process: string): string;
  keysOf(segment: SegmentKey, limitGroup: string | null): SegmentKeys;
  /** Each attempt to load stages under names of its own. */
  stagedKeysOf(segment: SegmentKey, limitGroup: string | null, attempt: string): StagedKeys;
}

export interface SegmentKeys {
  /** Identity, epoch, terms, seq, generation, and what each quota has. */
  readonly meta: string;
  /** Buyer -> his claims; the empty field holds the epoch. */
  readonly buyers: string;
  readonly stream: string;
  /** Of claims that were queued again: where their entries are. It goes with the stream. */
  readonly again: string;
  /** Of entries that are not whole any more: which of their claims are removed, and when the others were lent. */
  readonly divided: string;
  /** Entries that could not be read, until the ledger has them. */
  readonly buried: string;
  /** Unsettled claims that may have no entry in the stream. */
  readonly loose: string;
  readonly released: string;
  readonly moves: string;
  /**
   * Of a limit group: the sales whose segments share the hash tag. Of a sale in none it is a key that is there anyway: while its
   * slot moves, a server refuses a script that names one that is not.
   */
  readonly sales: string;
}

export interface StagedKeys {
  readonly staged_buyers: string;
  readonly staged_loose: string;
  readonly staged_released: string;
}

export function createNames(ledgerId: string): Names {
  const own = `${PREFIX}:${ledgerId}`;
  return {
    ledgerId,
    ...{ segments: `${own}:segments`, groups: `${own}:groups` },
    ...{ arrivalsChannel: `${own}:arrivals`, ordersChannel: `${own}:orders`, questionsChannel: `${own}:questions` },
    answersChannel: (process) => `${own}:answers:${process}`,
    keysOf: (segment, limitGroup) => segmentKeys(own, segment, limitGroup),
    stagedKeysOf(segment, limitGroup, attempt) {
      const key = (part: string) => `${own}:${tagOf(segment, limitGroup)}:staged:${attempt}:${part}`;
      return { staged_buyers: key('buyers'), staged_loose: key('loose'), staged_released: key('released') };
    },
  };
}

function segmentKeys(prefix: string, segment: SegmentKey, limitGroup: string | null): SegmentKeys {
  const tag = `${prefix}:${tagOf(segment, limitGroup)}`;
  const own = limitGroup === null ? tag : `${tag}:${wordOfSale(segment.saleId)}`;
  const key = (part: string) => `${own}:${part}`;
  return {
    ...{
      meta: key('meta'),
      buyers: key('buyers'),
      stream: key('stream'),
      again: key('again'),
      divided: key('divided'),
    },
    ...{ loose: key('loose'), released: key('released'), moves: key('moves'), buried: key('buried') },
    sales: limitGroup === null ? key('meta') : `${tag}:sales`,
  };
}

/** How a sale is called in `sales`, and in the names of its keys beside the others of its group. */
export function wordOfSale(saleId: SaleId): string {
  return encodeURIComponent(saleId);
}

/** Names that are known by heart: far more than there are segments in use. */
const MAX_KNOWN_TAGS = 10_000;
const tags = new Map<string, string>();

/** The same in every process and for ever: which slot it is in is part of the name, and nothing has to be stored of it. */
function tagOf({ saleId, region, segment }: SegmentKey, limitGroup: string | null): string {
  const scope = limitScopeOf({ id: saleId, ...(limitGroup !== null && { limitGroup }) });
  const name = segmentName({ saleId: scope, region, segment });
  const known = tags.get(name);
  if (known !== undefined) return known;
  const tag = `{${spreadTag(`${encodeURIComponent(scope)}:${encodeURIComponent(region)}`, segment)}}`;
  if (tags.size >= MAX_KNOWN_TAGS) tags.clear();
  tags.set(name, tag);
  return tag;
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
