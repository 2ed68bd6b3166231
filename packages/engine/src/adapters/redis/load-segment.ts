/**
 * Loads a segment: buyers are staged under names of this attempt, in chunks, and one script puts everything in place. Until
 * then the segment is what it was, so it is never sold from half a load; what was staged and not used goes by itself.
 */
import { randomUUID } from 'node:crypto';
import type { BuyerMark, SegmentLoad } from '../../domain/gate/plan-load.ts';
import { invariant, isUnitCount } from '../../domain/invariant.ts';
import { type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import type { GateCall, Refused } from '../../ports/gate.ts';
import { LOAD } from './commands.ts';
import type { RedisConnection } from './connection.ts';
import { wordOfSale } from './keys.ts';
import type { Layout } from './layout.ts';
import { isOfSegment, nameOf, writeMark, writeWord } from './marks.ts';
import { keep } from './settled-keys.ts';
import { stampOf, wordOr } from './stamp.ts';

/** A load takes seconds; what a dead loader left is gone after this. */
const STAGED_MS = 600_000;

/** Values of one command: about half a millisecond of the server. */
const CHUNK = 500;

/** What is staged, as field and value, or as members. */
interface Staging {
  readonly buyers: ReadonlyMap<string, string>;
  readonly loose: ReadonlyMap<string, string>;
  readonly released: ReadonlySet<string>;
}

export async function loadSegment(layout: Layout, call: GateCall, load: SegmentLoad): Promise<'loaded' | Refused> {
  invariant(segmentName(load.segment) === segmentName(call.segment), 'a load is for the segment that is called');
  for (const [channel, units] of load.availableUnits) {
    invariant(isUnitCount(units), `what is loaded for ${channel} is a whole number of units`);
  }
  const staging = stagingOf(load);
  const { limitGroup = null } = load.terms;
  const staged = layout.stagedKeysOf(load.segment, limitGroup, randomUUID());
  await layout.settleIn(load.segment, limitGroup);
  const place = await layout.placeOf(load.segment);
  const { keys, connection } = place;
  // The stream stays as it is.
  await keep(place);
  await stage(connection, 'HSET', staged.staged_buyers, [...staging.buyers].flat());
  await stage(connection, 'HSET', staged.staged_loose, [...staging.loose].flat());
  await stage(connection, 'SADD', staged.staged_released, [...staging.released]);

  const { version, state, startsAtMs, endsAtMs, limitUnits } = load.terms;
  const answer = await connection.run(LOAD, {
    keys: { ...keys, ...staged },
    arguments: {
      ...stampOf(connection, call),
      ...{ epoch: load.epoch, version, state, starts_ms: startsAtMs, ends_ms: endsAtMs, limit: limitUnits },
      buyer_count: staging.buyers.size,
      loose_count: staging.loose.size,
      released_count: staging.released.size,
      ...{ sale: wordOfSale(load.segment.saleId), group: limitGroup ?? '' },
    },
    more: [...load.availableUnits].flatMap(([channel, units]) => [writeWord(channel), units]),
  });
  const word = wordOr(answer, 'a load is whole numbers');
  // Its time ran out while it was staged: the next load stages anew.
  return word === 'half_staged' ? 'not_ready' : word;
}

function stagingOf({ segment, marks }: SegmentLoad): Staging {
  const buyers = new Map<string, string>();
  const loose = new Map<string, string>();
  const released = new Set<string>();
  const seen = new Set<string>();
  for (const mark of marks) {
    invariant(isOfSegment(mark, segment), 'a load marks claims of its segment');
    const name = writeName(mark, segment);
    const place = `${name} ${mark.buyerId}`;
    invariant(mark.buyerId !== '' && !seen.has(place), 'a load marks each claim once');
    seen.add(place);
    buyers.set(mark.buyerId, (buyers.get(mark.buyerId) ?? '') + writeMark(mark));
    if (mark.state === 'claimed') loose.set(name, `${mark.units} ${mark.buyerId}`);
    if (mark.state === 'ended') released.add(name);
  }
  return { buyers, loose, released };
}

function writeName(mark: BuyerMark, segment: SegmentKey): string {
  const { order_id, position, channel } = nameOf(mark, segment);
  return `${order_id} ${position} ${channel}`;
}

async function stage(
  connection: RedisConnection,
  command: 'HSET' | 'SADD',
  key: string,
  values: readonly string[],
): Promise<void> {
  for (let from = 0; from < values.length; from += CHUNK) {
    await Promise.all([
      connection.command(command, key, ...values.slice(from, from + CHUNK)),
      connection.command('PEXPIRE', key, STAGED_MS),
    ]);
  }
}
