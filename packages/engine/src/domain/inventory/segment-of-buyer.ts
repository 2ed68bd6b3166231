/**
 * Which segment a buyer buys in: always the same one, so that limit and replay are judged in one place. By rendezvous: every
 * segment draws a lot for the buyer and the highest wins, so that with one segment more or less only its own share of the
 * buyers moves. Every process must draw alike: a change of these numbers would send winners to where nobody knows them.
 */
import type { BuyerId } from '../ids.ts';
import { invariant } from '../invariant.ts';
import { hashOf, mix } from './rendezvous.ts';

/** More would be smaller than the batches that empty them. */
export const MAX_SEGMENTS = 64;

/** `scope`: within which the buyer's limit holds; sales of one scope and as many segments send a buyer to the same one. */
export function segmentOfBuyer(scope: string, buyerId: BuyerId, segments: number): number {
  invariant(isSegmentCount(segments), `segments are a whole number from 1 to ${MAX_SEGMENTS}`);
  if (segments === 1) return 0;
  const who = hashOf(scope, buyerId);
  let winner = 0;
  let highest = -1;
  for (let segment = 0; segment < segments; segment++) {
    const lot = mix(who ^ mix(segment + 1));
    if (lot > highest) {
      winner = segment;
      highest = lot;
    }
  }
  return winner;
}

/**
 * Of a sale that does not say. A gate in memory is one thread, and parts of it would only be smaller. In a shared one each part
 * has units for a full batch of claims, and there are few: what parts gain is that workers settle beside each other, and what
 * they cost is that the last units must be looked for in all of them.
 */
export function defaultSegments({ totalUnits, limitGroup }: Stocked, isGateShared: boolean): number {
  if (!isGateShared) return 1;
  // Sales of a group have as many as each other, whatever their stock.
  if (limitGroup !== undefined) return MOST_BY_DEFAULT;
  return Math.max(1, Math.min(MOST_BY_DEFAULT, Math.floor(totalUnits / UNITS_OF_ONE)));
}

interface Stocked {
  readonly totalUnits: number;
  readonly limitGroup?: string;
}

const MOST_BY_DEFAULT = 4;
const UNITS_OF_ONE = 256;

function isSegmentCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 1 && count <= MAX_SEGMENTS;
}
