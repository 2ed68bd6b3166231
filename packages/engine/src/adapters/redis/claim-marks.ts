/** What the gate in Redis remembers of a buyer: one field of one hash, read by itself. */
import type { ClaimMarks } from '../../ports/claim-marks.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './keys.ts';
import { readMarks } from './marks.ts';

export function createRedisClaimMarks(connection: RedisConnection): ClaimMarks {
  return {
    isNear: false,
    async ofBuyer(segment, buyerId) {
      const text = await connection.command('HGET', keysOf(segment).buyers, buyerId);
      return typeof text === 'string' ? readMarks(text, segment) : [];
    },
  };
}
