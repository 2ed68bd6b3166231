/** What the gate in Redis remembers of a buyer: one field of one hash, read by itself. */
import type { ClaimMarks } from '../../ports/claim-marks.ts';
import { keysOf } from './keys.ts';
import { readMarks } from './marks.ts';
import type { Masters } from './masters.ts';

export function createRedisClaimMarks(masters: Masters): ClaimMarks {
  return {
    isNear: false,
    async ofBuyer(segment, buyerId) {
      const { buyers } = keysOf(segment);
      const text = await masters.of(buyers).command('HGET', buyers, buyerId);
      return typeof text === 'string' ? readMarks(text, segment) : [];
    },
  };
}
