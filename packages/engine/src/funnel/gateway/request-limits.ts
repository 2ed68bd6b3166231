/**
 * How often one may ask: limits for an address, an account, a sale and the whole node. Two steps, because the address is
 * known before the account is: `enter` when a request's head is there, `enterAs` when its buyer is known.
 *
 * Law: a call that any limit refuses has consumed nothing of any. What was taken before is given back in the same turn, so a
 * crowd that the sale's limit turns away has its own limits whole when it comes again.
 */
import type { BuyerId, SaleId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import { createTokenBuckets, type Rate, type TokenBuckets } from './token-buckets.ts';

export type LimitName = 'address' | 'account' | 'sale' | 'node';

/** Null: no such limit. */
export type Rates = Readonly<Record<LimitName, Rate | null>>;

export const NO_RATES: Rates = { address: null, account: null, sale: null, node: null };

export interface Caller {
  /** One text for all whom the network cannot tell apart. */
  readonly address: string;
  /** The sale that is tried for; null for a reader, who is not counted against sale and node: a crowd leaves readers a share. */
  readonly saleId: SaleId | null;
}

export interface LimitHit {
  readonly limit: LimitName;
  readonly rate: Rate;
  /** Until one call is let through. */
  readonly waitMs: number;
}

export interface RequestLimits {
  /** Null: go on. */
  enter(caller: Caller): LimitHit | null;
  /** For a caller who was let in just now. Null: go on. */
  enterAs(buyerId: BuyerId, caller: Caller): LimitHit | null;
  /** Keys that are remembered, by limit. */
  keyCounts(): Readonly<Record<LimitName, number>>;
}

/**
 * A key is about 100 bytes, so each limit is bounded by some 10 MB. An honest caller's bucket is full again within a second
 * or so of the last call, which makes room: this many must be mid-burst at once before keys begin to share.
 */
const MAX_KEYS: Readonly<Record<LimitName, number>> = { address: 100_000, account: 100_000, sale: 1_000, node: 1 };

const THE_NODE = 'node';

interface Limit {
  readonly name: LimitName;
  readonly rate: Rate;
  readonly buckets: TokenBuckets;
}

type Toll = readonly [limit: Limit | null, key: string];

export function createRequestLimits(clock: Clock, rates: Rates): RequestLimits {
  const limitOf = (name: LimitName): Limit | null => {
    const rate = rates[name];
    return rate && { name, rate, buckets: createTokenBuckets(clock, rate, MAX_KEYS[name]) };
  };
  const limits = {
    address: limitOf('address'),
    account: limitOf('account'),
    sale: limitOf('sale'),
    node: limitOf('node'),
  };

  function tollsOf({ address, saleId }: Caller): readonly Toll[] {
    if (saleId === null) return [[limits.address, address]];
    return [
      [limits.address, address],
      [limits.sale, saleId],
      [limits.node, THE_NODE],
    ];
  }

  return {
    enter: (caller) => payAll(tollsOf(caller)),
    enterAs(buyerId, caller) {
      const hit = payAll([[limits.account, buyerId]]);
      if (hit) giveBack(tollsOf(caller));
      return hit;
    },
    keyCounts() {
      const sizeOf = (name: LimitName) => limits[name]?.buckets.size ?? 0;
      return { address: sizeOf('address'), account: sizeOf('account'), sale: sizeOf('sale'), node: sizeOf('node') };
    },
  };
}

function payAll(tolls: readonly Toll[]): LimitHit | null {
  for (const [index, [limit, key]] of tolls.entries()) {
    if (!limit) continue;
    const waitMs = limit.buckets.take(key);
    if (waitMs === 0) continue;
    giveBack(tolls.slice(0, index));
    return { limit: limit.name, rate: limit.rate, waitMs };
  }
  return null;
}

function giveBack(tolls: readonly Toll[]): void {
  for (const [limit, key] of tolls) limit?.buckets.giveBack(key);
}
