/**
 * Claims as the scripts hold them: a buyer's are one text, as lua/shared/marks.lua says. Ids and channels are written such that
 * they hold neither space nor semicolon; usual ones stand as they are.
 */
import type { ClaimMark } from '../../domain/gate/decide-claim.ts';
import { invariant } from '../../domain/invariant.ts';
import { MAIN_CHANNEL, type SegmentKey } from '../../domain/inventory/quota.ts';
import type { Claim, Origin, Position } from '../../domain/order/claim.ts';

const STATE_OF = { q: 'claimed', s: 'settled', e: 'ended' } as const;
const LETTER_OF = { claimed: 'q', settled: 's', ended: 'e' } as const;

const USUAL = /^[\w.-]*$/;

export function writeWord(text: string): string {
  return USUAL.test(text) ? text : encodeURIComponent(text);
}

export function readWord(word: string): string {
  return word.includes('%') ? decodeURIComponent(word) : word;
}

export function writePosition({ epoch, seq }: Position): string {
  return `${epoch}-${seq}`;
}

export function readPosition(text: string): Position {
  const [epoch, seq] = text.split('-').map(Number);
  invariant(epoch !== undefined && seq !== undefined && Number.isSafeInteger(epoch + seq), 'a position is two numbers');
  return { epoch, seq };
}

export function readOrigin(segment: SegmentKey, position: string, channel: string): Origin {
  return { region: segment.region, segment: segment.segment, channel: readWord(channel), ...readPosition(position) };
}

/** As `read` and `strays` tell it: `order_id units position channel buyer`. */
export function claimOf(segment: SegmentKey, parts: readonly string[]): Claim {
  const [orderId = '', units, position = '', channel = '', buyerId = ''] = parts;
  const origin = readOrigin(segment, position, channel);
  return { orderId: readWord(orderId), saleId: segment.saleId, buyerId, units: Number(units), origin };
}

export function isOfSegment({ origin }: Pick<Claim, 'origin'>, segment: SegmentKey): boolean {
  return origin.region === segment.region && origin.segment === segment.segment;
}

/** No claim was ever made here: what names a claim of another segment finds nothing. */
const NOWHERE: Position = { epoch: 0, seq: 0 };

/** The words that find a claim's mark. */
export function nameOf(claim: Pick<Claim, 'orderId' | 'origin'>, segment: SegmentKey) {
  return {
    order_id: writeWord(claim.orderId),
    position: writePosition(isOfSegment(claim, segment) ? claim.origin : NOWHERE),
    channel: writeWord(claim.origin.channel),
  };
}

export function writeMark(mark: ClaimMark): string {
  const { orderId, origin, units, state } = mark;
  invariant(orderId !== '', 'an order has an id');
  const [letter, word, position] = [LETTER_OF[state], writeWord(orderId), writePosition(origin)];
  if (units === 1 && origin.channel === MAIN_CHANNEL) return `${letter}${word} ${position};`;
  return `${letter} ${word} ${units} ${position} ${writeWord(origin.channel)};`;
}

export function readMarks(text: string, segment: SegmentKey): ClaimMark[] {
  return [...text.matchAll(/([qse]) ?(\S+) (?:(\d+) (\S+) ([^;]*)|(\S+));/g)].map(
    ([, letter, orderId = '', units = '1', position, channel = MAIN_CHANNEL, only = '']) => ({
      orderId: readWord(orderId),
      units: Number(units),
      origin: readOrigin(segment, position ?? only, channel),
      state: STATE_OF[letter as keyof typeof STATE_OF],
    }),
  );
}
