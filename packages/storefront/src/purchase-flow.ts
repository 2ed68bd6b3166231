/**
 * One press of the button. A token is fetched once and kept until its purchase is decided, so that a press after a lost
 * answer, a reload or a busy server asks for the same order again, never for a second one.
 */
import { REASONS, type ReasonEntry } from '@sluice/contract/codes';
import type { Api, Bought, Order, Refused } from './api.ts';
import type { KeptToken, KeptTokens } from './kept-token.ts';

export type PurchaseOutcome =
  | { readonly kind: 'bought'; readonly order: Bought }
  | Refused
  | { readonly kind: 'unclear' };

export interface FlowDeps {
  readonly api: Pick<Api, 'token' | 'purchase'>;
  readonly tokens: KeptTokens;
  readonly jwt: string;
  readonly nowMs: number;
}

export async function buy(deps: FlowDeps, saleId: string, units: number): Promise<PurchaseOutcome> {
  const { api, tokens, jwt } = deps;
  const kept = tokens.find(saleId, deps.nowMs);
  const reply = kept ? null : await api.token(jwt, saleId);
  if (reply && reply.kind !== 'answer') return reply;
  const token = kept ?? { ...(reply?.value as KeptToken), units, wasSent: false };

  // One that may have been carried out is repeated as it was.
  const sent = token.wasSent ? token : { ...token, units, wasSent: true };
  tokens.keep(saleId, sent);
  const answer = await api.purchase(jwt, saleId, { token: sent.token, units: sent.units });
  if (answer.kind === 'unclear') return answer;
  if (answer.kind === 'answer') {
    tokens.drop(saleId);
    return { kind: 'bought', order: answer.value };
  }
  settle(tokens, saleId, { ...sent, reason: answer.reason });
  return answer;
}

export interface FollowDeps {
  readonly api: Pick<Api, 'order'>;
  readonly jwt: string;
  /** Until the next look. */
  readonly pause: () => Promise<unknown>;
  /** It becomes something else by itself. */
  readonly isOnItsWay: (order: Order) => boolean;
}

const MAX_LOOKS = 30;

/** What became of an order that was on its way; null when there is nothing to tell in time. */
export async function follow(deps: FollowDeps, { orderId, receipt }: Bought): Promise<Order | null> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    await deps.pause();
    const reply = await deps.api.order(deps.jwt, orderId, receipt);
    if (reply.kind === 'answer' && !deps.isOnItsWay(reply.value)) return reply.value;
  }
  return null;
}

function settle(
  tokens: KeptTokens,
  saleId: string,
  { reason, ...token }: KeptToken & { readonly reason: string },
): void {
  const entry: ReasonEntry | undefined = Object.entries(REASONS).find(([each]) => each === reason)?.[1];
  // Not judged, or not known how: it stays as it was sent.
  if (!entry || entry.status >= 500) return;
  // Judged, and left no trace: it may be used again, for any number of units.
  if (entry.retry === 'then' || entry.retry === 'perhaps') tokens.keep(saleId, { ...token, wasSent: false });
  else tokens.drop(saleId);
}
