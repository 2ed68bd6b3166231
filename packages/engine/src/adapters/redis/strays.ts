/** Claims that a segment has for unsettled and whose entries are gone: to find them, and to queue them again. */
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import { type Claim, claimId } from '../../domain/order/claim.ts';
import { type GateCall, MAX_CLAIMS_PER_CALL, type Refused, type StrayPage } from '../../ports/gate.ts';
import { REQUEUE, STRAYS } from './commands.ts';
import type { Layout } from './layout.ts';
import { claimOf, nameOf, readPosition } from './marks.ts';
import { stampOf, wordOr } from './stamp.ts';

/** Of which claims are not queued: what is seen anyhow need not be looked up, one by one. */
interface StrayLook {
  readonly from: string | null;
  readonly queued: ReadonlySet<string> | undefined;
}

/** Buyers of one look. Where each has a claim in another entry of a long queue it takes the server some ten milliseconds. */
const PAGE = 250;

type Reply = readonly [cursor: string, position: string, isWaiting: number, claims: readonly (readonly string[])[]];

export async function readStrays(layout: Layout, segment: SegmentKey, look: StrayLook): Promise<StrayPage> {
  const { from, queued } = look;
  const { keys, connection } = await layout.placeOf(segment);
  const names = { cursor: from ?? '0', max: PAGE, looks_up: queued ? 0 : 1 };
  const reply = await connection.run(STRAYS, { keys, arguments: names });
  const [cursor, position, isWaiting, claims] = reply as unknown as Reply;
  return {
    strays: claims.map((parts) => claimOf(segment, parts)).filter((claim) => !queued?.has(claimId(claim))),
    position: position === '' ? null : readPosition(position),
    isWaiting: isWaiting === 1,
    next: cursor === '0' ? null : cursor,
  };
}

export async function requeue(layout: Layout, call: GateCall, claims: readonly Claim[]): Promise<'requeued' | Refused> {
  for (let from = 0; from < claims.length; from += MAX_CLAIMS_PER_CALL) {
    const answer = await requeueSome(layout, call, claims.slice(from, from + MAX_CLAIMS_PER_CALL));
    if (answer !== 'requeued') return answer;
  }
  return 'requeued';
}

async function requeueSome(layout: Layout, call: GateCall, claims: readonly Claim[]) {
  const { keys, connection } = await layout.placeOf(call.segment);
  const names = claims.map((claim) => nameOf(claim, call.segment));
  const answer = await connection.run(REQUEUE, {
    keys,
    arguments: { ...stampOf(connection, call), count: claims.length },
    more: [
      ...claims.map((claim) => claim.buyerId),
      ...names.map((name) => name.order_id),
      ...names.map((name) => name.position),
      ...names.map((name) => name.channel),
    ],
  });
  return wordOr(answer, 'a call queues no more claims again than it may');
}
