/** What the gate in Redis remembers of a buyer: one field of one hash, read by itself. */
import type { ClaimMarks } from '../../ports/claim-marks.ts';
import type { LaidOut } from './layout.ts';
import { readMarks } from './marks.ts';

export function createRedisClaimMarks({ connection, layout }: LaidOut): ClaimMarks {
  return {
    isNear: false,
    async ofBuyer(segment, buyerId) {
      const text = await connection.command('HGET', (await layout.keysOf(segment)).buyers, buyerId);
      return typeof text === 'string' ? readMarks(text, segment) : [];
    },
  };
}
