import { INITIAL_POINTS, walletContract } from '../../ports/wallet.contract.ts';
import { createMemoryWallet } from './wallet.ts';

walletContract({
  name: 'memory',
  async open() {
    const wallet = createMemoryWallet({ initialPoints: () => INITIAL_POINTS });
    return { wallet, balanceOf: async (buyerId) => wallet.balanceOf(buyerId), close: async () => {} };
  },
});
