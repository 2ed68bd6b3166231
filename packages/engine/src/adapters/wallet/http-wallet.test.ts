import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultOf } from '../../ports/ledger-fixture.contract.ts';
import { INITIAL_POINTS, walletContract } from '../../ports/wallet.contract.ts';
import { createHttpWallet } from './http-wallet.ts';
import { startWalletServer, WALLET_KEY, type WalletServer } from './wallet-server.contract.ts';

walletContract({
  name: 'HTTP',
  async open() {
    const server = await startWalletServer(INITIAL_POINTS);
    const wallet = createHttpWallet({ url: server.url, key: WALLET_KEY });
    return { wallet, balanceOf: async (buyerId) => server.wallet.balanceOf(buyerId), close: server.close };
  },
});

const CALL = { key: 'o1', buyerId: 'ann', points: 5, saleId: 'sale', orderId: 'o1' };

describe('a wallet behind HTTP', () => {
  let server: WalletServer;
  beforeAll(async () => {
    server = await startWalletServer(INITIAL_POINTS);
  });
  afterAll(() => server.close());

  const json = (status: number, body: string) => (response: ServerResponse) =>
    void response.writeHead(status).end(body);

  test.each([
    ['a status that is not 200', json(500, '{"outcome":"charged"}'), 'wallet_unavailable'],
    [
      'a redirect',
      (r: ServerResponse) => void r.writeHead(307, { location: '/elsewhere' }).end(),
      'wallet_unavailable',
    ],
    ['no JSON', json(200, 'charged'), 'wallet_unavailable'],
    ['an outcome that is not known', json(200, '{"outcome":"maybe"}'), 'wallet_unavailable'],
    ['a refusal without a reason', json(200, '{"outcome":"refused"}'), 'wallet_unavailable'],
    ['too long an answer', json(200, `{"outcome":"charged","more":"${'x'.repeat(5_000)}"}`), 'wallet_unavailable'],
    ['a connection that breaks', (r: ServerResponse) => void r.destroy(), 'wallet_unavailable'],
    ['silence', () => {}, 'outcome_unknown'],
    ['an answer that never ends', (r: ServerResponse) => void r.writeHead(200).write('{'), 'outcome_unknown'],
  ])('takes %s for no answer', async (_, how, fault) => {
    const wallet = createHttpWallet({ url: `${server.url}/`, key: WALLET_KEY, timeoutMs: 300 });
    server.misbehave(how);
    expect(await faultOf(() => wallet.charge(CALL))).toBe(fault);
    // The same key again finds out.
    expect(await wallet.charge(CALL)).toEqual({ kind: 'charged' });
  });

  test('is told who calls, and nobody else is believed', async () => {
    const wallet = createHttpWallet({ url: server.url, key: 'some-other-key-of-32-characters-or-so' });
    expect(await faultOf(() => wallet.charge({ ...CALL, key: 'o2' }))).toBe('wallet_unavailable');
  });
});
