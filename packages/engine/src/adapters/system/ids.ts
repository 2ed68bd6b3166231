/** Random ids, drawn from the system's generator many at a time: one call for each costs five times as much. */
import { randomFillSync } from 'node:crypto';
import type { IdSource } from '../../ports/id-source.ts';

const ID_BYTES = 16;
const IDS_PER_DRAW = 256;

/**
 * An id never begins with a dash: a command line would take it for an option, and a spreadsheet for a formula. Of 128 bits
 * that costs less than one.
 */
export function idFrom(letters: string): string {
  return letters.startsWith('-') ? `_${letters.slice(1)}` : letters;
}

export function createIdSource(): IdSource {
  const pool = Buffer.alloc(ID_BYTES * IDS_PER_DRAW);
  let used = pool.length;
  return {
    newId() {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      used += ID_BYTES;
      return idFrom(pool.toString('base64url', used - ID_BYTES, used));
    },
  };
}
