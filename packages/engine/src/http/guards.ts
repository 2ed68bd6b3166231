/**
 * Who is let in, before a body is read, cheapest first: overload, limits of address, sale and node, identity, the limit of
 * the account. A try is for a token or a purchase. All others, who read or pay, keep the share that tries are kept out of.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../domain/refusal.ts';
import { refuse } from '../domain/refusal.ts';
import type { Caller, LimitHit, RequestLimits } from '../funnel/gateway/request-limits.ts';
import type { IdentityVerifier } from '../ports/identity.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { bearerOf } from './authenticate.ts';
import { addressKeyOf } from './client-address.ts';
import type { Refuser } from './outcome-to-response.ts';

export type Guard = (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;

export interface Guards {
  /** Anybody, up to the limit of their address. */
  readonly limitAddress: Guard;
  /** A buyer, up to the limits of address and account. */
  readonly requireBuyer: Guard;
  /** A buyer who tries for a sale: up to all limits, and not under overload. */
  readonly requireTry: Guard;
}

export interface GuardDeps {
  readonly identity: IdentityVerifier;
  readonly refuser: Refuser;
  readonly limits: RequestLimits;
  /** Null: another try may come in. */
  readonly shed: () => Refusal | null;
  /** Told of everybody who is turned away here. */
  readonly telemetry: Pick<Telemetry, 'turnedAway'> | undefined;
}

export function createGuards({ identity, refuser, limits, shed, telemetry }: GuardDeps): Guards {
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
    requireTry(request, reply, next) {
      const refusal = shed();
      if (refusal) {
        telemetry?.turnedAway('overload', refusal.reason);
        refuser.refuse(request, reply, refusal);
        return;
      }
      const { saleId } = request.params as { readonly saleId: string };
      const caller = { address: addressKeyOf(request.ip), saleId };
      if (enter(request, reply, caller) && enterAs(request, reply, caller)) next();
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
