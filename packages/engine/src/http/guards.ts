/**
 * Who is let in, before a body is read, cheapest first: overload, limits of address, sale and node, identity, the limit of
 * the account, and what the sale can answer unread. A try is for a token or a purchase. All others, who read or pay, keep
 * the share that tries are kept out of.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Buyer } from '../domain/buyer.ts';
import type { SaleId } from '../domain/ids.ts';
import type { Refusal } from '../domain/refusal.ts';
import { refuse } from '../domain/refusal.ts';
import type { Caller, LimitHit, RequestLimits } from '../funnel/gateway/request-limits.ts';
import type { IdentityVerifier } from '../ports/identity.ts';
import type { Stage, Telemetry } from '../ports/telemetry.ts';
import { bearerOf, buyerOf } from './authenticate.ts';
import { addressKeyOf } from './client-address.ts';
import type { Refuser } from './outcome-to-response.ts';

export type Guard = (request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void) => void;

export interface Guards {
  /** Anybody, up to the limit of their address. */
  readonly limitAddress: Guard;
  /** A buyer, up to the limits of address and account. */
  readonly requireBuyer: Guard;
  /**
   * A buyer who tries for a sale that is not known to be gone: up to all limits, and not under overload. `stage` is the
   * one that would have turned them away.
   */
  readonly requireTry: (stage: Stage) => Guard;
}

export interface GuardDeps {
  readonly identity: IdentityVerifier;
  readonly refuser: Refuser;
  readonly limits: RequestLimits;
  /** Null: another try may come in. */
  readonly shed: () => Refusal | null;
  /** What can be told before the body is read. */
  readonly refuseUnread: (saleId: SaleId, buyer: Buyer) => Promise<Refusal | null> | null;
  /** Told of everybody who is turned away here. */
  readonly telemetry: Pick<Telemetry, 'turnedAway'> | undefined;
}

export function createGuards(deps: GuardDeps): Guards {
  const { identity, refuser, limits, shed, telemetry, refuseUnread } = deps;

  function refuseHit(request: FastifyRequest, reply: FastifyReply, hit: LimitHit): void {
    telemetry?.turnedAway(`${hit.limit}_limit`, 'rate_limited');
    refuser.refuse(request, reply, refuse('rate_limited', { retryAfterMs: Math.ceil(hit.waitMs) }), {
      headers: limitHeaders(hit),
    });
  }

  function enterAs(request: FastifyRequest, reply: FastifyReply, caller: Caller): boolean {
    const credential = bearerOf(request);
    const buyer = credential === null ? null : identity.identify(credential);
    if (!buyer) {
      telemetry?.turnedAway('identity', 'unauthenticated');
      refuser.refuse(request, reply, refuse('unauthenticated'));
      return false;
    }
    const hit = limits.enterAs(buyer.buyerId, caller);
    if (hit) refuseHit(request, reply, hit);
    else request.buyer = buyer;
    return !hit;
  }

  function enter(request: FastifyRequest, reply: FastifyReply, caller: Caller): boolean {
    const hit = limits.enter(caller);
    if (hit) refuseHit(request, reply, hit);
    return !hit;
  }

  return {
    limitAddress(request, reply, next) {
      if (enter(request, reply, readerOf(request))) next();
    },
    requireBuyer(request, reply, next) {
      const caller = readerOf(request);
      if (enter(request, reply, caller) && enterAs(request, reply, caller)) next();
    },
    requireTry: (stage) => (request, reply, next) => {
      const turnAway = (at: Stage, refusal: Refusal) => {
        telemetry?.turnedAway(at, refusal.reason);
        refuser.refuse(request, reply, refusal);
      };
      const busy = shed();
      if (busy) return turnAway('overload', busy);
      const { saleId } = request.params as { readonly saleId: string };
      const caller = { address: addressKeyOf(request.ip), saleId };
      if (!enter(request, reply, caller) || !enterAs(request, reply, caller)) return;
      const unread = refuseUnread(saleId, buyerOf(request));
      if (unread) unread.then((refusal) => (refusal ? turnAway(stage, refusal) : next()), next);
      else next();
    },
  };
}

/** For callers who carry one key of the deployment. */
export function requireKey(hasKey: (request: FastifyRequest) => boolean, refuser: Refuser): Guard {
  return (request, reply, next) => {
    if (hasKey(request)) next();
    else refuser.refuse(request, reply, refuse('unauthenticated'));
  };
}

function readerOf(request: FastifyRequest): Caller {
  return { address: addressKeyOf(request.ip), saleId: null };
}

/**
 * Fields of draft-ietf-httpapi-ratelimit-headers-10: the policy is a quota (`q`) for a window (`w`, seconds), here what a
 * bucket holds and how long it takes to fill; of it 0 remain (`r`), and some will in `t` seconds. Sent with refusals only.
 */
function limitHeaders({ limit, rate, waitMs }: LimitHit): Readonly<Record<string, string>> {
  const windowSeconds = Math.max(1, Math.ceil(rate.burst / rate.perSecond));
  return {
    'RateLimit-Policy': `"${limit}";q=${rate.burst};w=${windowSeconds}`,
    RateLimit: `"${limit}";r=0;t=${Math.max(1, Math.ceil(waitMs / 1_000))}`,
  };
}
