/**
 * A wallet in memory: the specification that runs, and the sample wallet of a deployment that has no other. It forgets
 * everything with its process.
 */
import type { BuyerId } from '../../domain/ids.ts';
import type { ChargeAnswer, RefundAnswer, Wallet } from '../../ports/wallet.ts';

export interface MemoryWallet extends Wallet {
  balanceOf(buyerId: BuyerId): number;
}

export interface MemoryWalletOptions {
  /** What a buyer has who comes for the first time. */
  readonly initialPoints: (buyerId: BuyerId) => number;
}

export function createMemoryWallet({ initialPoints }: MemoryWalletOptions): MemoryWallet {
  const balances = new Map<BuyerId, number>();
  const charges = new Map<string, { readonly buyerId: BuyerId; readonly points: number; answer: ChargeAnswer }>();
  const refunds = new Map<string, RefundAnswer>();
  const givenBack = new Set<string>();

  function balanceOf(buyerId: BuyerId): number {
    return balances.get(buyerId) ?? initialPoints(buyerId);
  }

  return {
    balanceOf,

    async charge({ key, buyerId, points }) {
      const known = charges.get(key);
      if (known) return known.answer;
      const answer: ChargeAnswer =
        balanceOf(buyerId) < points ? { kind: 'refused', reason: 'insufficient_points' } : { kind: 'charged' };
      charges.set(key, { buyerId, points, answer });
      if (answer.kind === 'charged') balances.set(buyerId, balanceOf(buyerId) - points);
      return answer;
    },

    async refund({ key, chargeKey, buyerId, points }) {
      const known = refunds.get(key);
      if (known) return known;
      const charge = charges.get(chargeKey);
      const isTaken = charge?.answer.kind === 'charged' && !givenBack.has(chargeKey);
      const answer: RefundAnswer = { kind: isTaken ? 'refunded' : 'nothing_taken' };
      refunds.set(key, answer);
      givenBack.add(chargeKey);
      if (isTaken) balances.set(charge.buyerId, balanceOf(charge.buyerId) + charge.points);
      if (!charge) charges.set(chargeKey, { buyerId, points, answer: { kind: 'refused', reason: 'given_back' } });
      return answer;
    },
  };
}
