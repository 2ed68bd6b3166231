/** Hands out the leave to try. Costs a signature and no storage; what cannot be bought any more is refused here already. */

import type { Buyer } from '../domain/buyer.ts';
import { Fault } from '../domain/fault.ts';
import type { ClaimMark } from '../domain/gate/decide-claim.ts';
import type { BuyerId, OrderId, SaleId } from '../domain/ids.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { isWithinLimit } from '../domain/sale/purchase-limit.ts';
import type { Sale } from '../domain/sale/sale.ts';
import { phaseAt } from '../domain/sale/schedule.ts';
import type { DryJudge, GoneVerdict } from '../inventory/judge-dry.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Signer } from '../ports/signer.ts';
import type { HotEntries } from './gateway/hot-entries.ts';
import { REPLAY_GRACE_MS, writeToken } from './gateway/purchase-token.ts';

export interface IssueTokenDeps {
  readonly sales: HotEntries<Sale>;
  readonly signer: Signer;
  readonly idSource: IdSource;
  readonly clock: Clock;
  readonly dryJudge: DryJudge;
  /** By `markKeyOf`. */
  readonly buyersMarks: HotEntries<readonly ClaimMark[]>;
}

export interface IssuedToken {
  readonly kind: 'issued';
  readonly token: string;
  readonly orderId: OrderId;
  /** The token may be used in [earliestMs, latestMs). */
  readonly earliestMs: number;
  readonly latestMs: number;
  readonly serverTimeMs: number;
}

export interface TokenRequest {
  readonly saleId: SaleId;
  readonly buyer: Buyer;
  readonly idempotencyKey: string | null;
}

export async function issueToken(deps: IssueTokenDeps, request: TokenRequest): Promise<IssuedToken | Refusal> {
  const { saleId, buyer, idempotencyKey } = request;
  const sale = await deps.sales.get(saleId);
  if (!sale || sale.state === 'draft') return refuse('not_found');
  if (sale.state === 'closed' || sale.state === 'settled') return refuse('closed');
  const nowMs = deps.clock.nowMs();
  if (phaseAt(sale, nowMs) === 'over') return refuse('over');
  const gone = await deps.dryJudge.recall(saleId);
  if (gone) return refuseGone(deps, { sale, buyer, gone });

  // A key names the order, and nothing need be kept for it: who lost the answer gets the same order again.
  const orderId =
    idempotencyKey === null
      ? deps.idSource.newId()
      : deps.signer.deriveId('token', [saleId, buyer.buyerId, idempotencyKey]);
  const earliestMs = sale.startsAtMs;
  const latestMs = sale.endsAtMs + REPLAY_GRACE_MS;
  const token = writeToken(deps.signer, { ...buyer, orderId, saleId, earliestMs, latestMs });
  return { kind: 'issued', token, orderId, earliestMs, latestMs, serverTimeMs: nowMs };
}

/** No buyer id has a line break. */
const SEPARATOR = '\n';

function markKeyOf(saleId: SaleId, buyerId: BuyerId): string {
  return `${saleId}${SEPARATOR}${buyerId}`;
}

export function readMarkKey(key: string): readonly [SaleId, BuyerId] {
  const at = key.indexOf(SEPARATOR);
  return [key.slice(0, at), key.slice(at + 1)];
}

interface Gone {
  readonly sale: Sale;
  readonly buyer: Buyer;
  readonly gone: GoneVerdict;
}

/** A winner who lost the token hears which orders are theirs; a gate that cannot be asked tells of none. */
async function refuseGone({ buyersMarks }: IssueTokenDeps, { sale, buyer, gone }: Gone): Promise<Refusal> {
  const marks = await buyersMarks.get(markKeyOf(sale.id, buyer.buyerId)).catch(noneWhenDown);
  const live = (marks ?? []).filter(({ state }) => state !== 'ended');
  if (live.length === 0) return refuse(gone);
  const liveOrderIds = live.map(({ orderId }) => orderId);
  const takenUnits = live.reduce((sum, { units }) => sum + units, 0);
  return refuse(isWithinLimit(takenUnits, 1, sale.limitUnits) ? gone : 'over_limit', { liveOrderIds });
}

function noneWhenDown(error: unknown): null {
  if (error instanceof Fault && error.retryable) return null;
  throw error;
}
