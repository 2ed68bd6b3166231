/**
 * Ids of 16 letters: the second in which they were made, then 66 random bits. Those of one time are beside each other in every index
 * of a ledger, so what is written now touches the few pages that were written last, however many orders there are.
 */
import { randomFillSync } from 'node:crypto';
import type { IdSource } from '../../ports/id-source.ts';

const ID_LENGTH = 16;

/** In the order of their codes, which is that of a text compared byte by byte. */
const LETTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
/** 34 years of seconds, and what comes after is in order among itself. */
const TIME_LENGTH = 5;
/** 2020-01-01: long enough ago that no id begins with the first letter. */
const SINCE_S = 1_577_836_800;

const RANDOM_LENGTH = ID_LENGTH - TIME_LENGTH;
const BYTES_PER_DRAW = 9;
/** One call of the system's generator for each id costs five times as much. */
const IDS_PER_DRAW = 256;

/** An id never begins with a dash: a command line would take it for an option, and a spreadsheet for a formula. */
export function idFrom(letters: string): string {
  return letters.startsWith('-') ? `_${letters.slice(1)}` : letters;
}

export function createIdSource(nowMs: () => number = Date.now): IdSource {
  const pool = Buffer.alloc(BYTES_PER_DRAW * IDS_PER_DRAW);
  let used = pool.length;
  let second = Number.NaN;
  let prefix = '';
  return {
    newId() {
      const now = Math.floor(nowMs() / 1_000);
      if (now !== second) {
        second = now;
        prefix = lettersOf(now - SINCE_S);
      }
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      used += BYTES_PER_DRAW;
      return idFrom(prefix + pool.toString('base64url', used - BYTES_PER_DRAW, used).slice(0, RANDOM_LENGTH));
    },
  };
}

function lettersOf(seconds: number): string {
  let rest = Math.max(0, seconds);
  let letters = '';
  for (let place = 0; place < TIME_LENGTH; place++) {
    letters = LETTERS.charAt(rest % LETTERS.length) + letters;
    rest = Math.floor(rest / LETTERS.length);
  }
  return letters;
}
