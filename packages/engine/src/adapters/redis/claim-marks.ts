/** What the gate in Redis remembers of a buyer: one field of one hash, read by itself. */
import type { ClaimMarks } from '../../ports/claim-marks.ts';
import type { Layout } from './layout.ts';
import { readMarks } from './marks.ts';

export function createRedisClaimMarks(layout: Layout): ClaimMarks {
  return {
    isNear: false,
    async ofBuyer(segment, buyerId) {
      const { keys, connection } = await layout.placeOf(segment);
      const text = await connection.command('HGET', keys.buyers, buyerId);
      return typeof text === 'string' ? readMarks(text, segment) : [];
    },
  };
}
