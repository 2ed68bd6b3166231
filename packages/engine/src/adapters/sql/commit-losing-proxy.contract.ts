/** A way to a database on which the answer to a commit may be lost. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CommitLosingProxy {
  readonly url: string;
  /** The next so many commits are carried out, and nobody hears of it. */
  swallowCommits(count: number): void;
  close(): void;
}

/**
 * Passes everything on; of a commit that is to be swallowed it passes the question on and drops the line before the answer.
 * `commit`: the words of one on the wire.
 */
export async function startCommitLosingProxy(databaseUrl: string, commit: string): Promise<CommitLosingProxy> {
  const target = new URL(databaseUrl);
  let toSwallow = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isCut = false;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
    client.on('data', (chunk) => {
      upstream.write(chunk);
      if (toSwallow > 0 && chunk.includes(commit)) {
        toSwallow--;
        isCut = true;
      }
    });
    upstream.on('data', (chunk) => {
      if (isCut) client.destroy();
      else client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    swallowCommits(count) {
      toSwallow = count;
    },
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
