/** A wallet behind HTTP, as its makers are told to make one; for tests, over the wallet in memory. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChargeAnswer, RefundAnswer } from '../../ports/wallet.ts';
import { createMemoryWallet, type MemoryWallet } from '../memory/wallet.ts';

export const WALLET_KEY = 'a-wallet-key-of-32-characters-or-so';

export interface WalletServer {
  readonly url: string;
  readonly wallet: MemoryWallet;
  /** What is done with the next request instead of answering it. */
  misbehave(how: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export async function startWalletServer(initialPoints: number): Promise<WalletServer> {
  const wallet = createMemoryWallet({ initialPoints: () => initialPoints });
  let next: ((response: ServerResponse) => void) | null = null;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const how = next;
    next = null;
    if (how) return how(response);
    const { authorization, 'idempotency-key': key } = request.headers;
    const known = authorization === `Bearer ${WALLET_KEY}` && typeof key === 'string';
    if (!known) return void response.writeHead(401).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { buyer, ...rest } = JSON.parse(Buffer.concat(chunks).toString());
    const call = { ...rest, key, buyerId: buyer };
    const result = request.url === '/points/charge' ? await wallet.charge(call) : await wallet.refund(call);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(bodyOf(result)));
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/points`,
    wallet,
    misbehave(how) {
      next = how;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function bodyOf({ kind, ...rest }: ChargeAnswer | RefundAnswer): object {
  return { outcome: kind, ...rest };
}
