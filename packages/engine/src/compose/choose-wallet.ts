/** Which wallet a deployment sells for points with: the operator's, the sample one on a machine of one's own, or none. */
import { createMemoryWallet } from '../adapters/memory/wallet.ts';
import { createHttpWallet } from '../adapters/wallet/http-wallet.ts';
import type { Settings } from '../config/settings.ts';
import type { Wallet } from '../ports/wallet.ts';

/** What everybody has at first, in the sample wallet. */
export const SAMPLE_POINTS = 100;

export interface ChosenWallet {
  /** `sample`: it forgets everything with the process. */
  readonly kind: 'own' | 'sample' | 'none';
  readonly wallet?: Wallet;
}

export function chooseWallet({ walletUrl, walletKey }: Settings, isOneMachine: boolean): ChosenWallet {
  if (walletUrl !== undefined && walletKey !== undefined) {
    return { kind: 'own', wallet: createHttpWallet({ url: walletUrl, key: walletKey }) };
  }
  return isOneMachine
    ? { kind: 'sample', wallet: createMemoryWallet({ initialPoints: () => SAMPLE_POINTS }) }
    : { kind: 'none' };
}
