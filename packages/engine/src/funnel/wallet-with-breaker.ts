/** A wallet that tells a breaker how it goes. Any answer of it is a good sign, a refusal too. */
import { Fault } from '../domain/fault.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { BreakerOptions, CircuitBreaker } from './ledger/circuit-breaker.ts';

/** Calls run side by side: fewer failures would be one moment of the network. */
export const WALLET_BREAKER: BreakerOptions = { failures: 8, restMs: 2_000 };

export function walletWithBreaker(
  wallet: Wallet,
  breaker: CircuitBreaker,
  telemetry: Pick<Telemetry, 'walletAnswered'>,
): Wallet {
  async function told<Answer extends { readonly kind: string }>(
    call: 'charge' | 'refund',
    step: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      const answer = await step();
      breaker.succeeded();
      telemetry.walletAnswered(call, answer.kind);
      return answer;
    } catch (error) {
      if (error instanceof Fault) {
        breaker.failed();
        telemetry.walletAnswered(call, error.code);
      }
      throw error;
    }
  }

  return {
    charge: (call) => told('charge', () => wallet.charge(call)),
    refund: (call) => told('refund', () => wallet.refund(call)),
  };
}
