/** A webhook receiver behind HTTP, for tests: it takes note of what comes, and can be told to misbehave. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of many shapes
  readonly json: any;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** What came, in order, misbehaviour or not. */
  readonly received: readonly Received[];
  /** What is done instead of answering 204, until told otherwise; null: answer. */
  misbehave(how: ((response: ServerResponse, received: Received) => void) | null): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let how: ((response: ServerResponse, received: Received) => void) | null = null;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const one = { headers: request.headers, body, json: JSON.parse(body) };
      received.push(one);
      if (how) how(response, one);
      else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    misbehave(next) {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
