/** A network that carries a call out and loses its answer: forwards, and resets the caller's socket in place of the reply. */

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export interface AnswerLosingProxy {
  readonly url: string;
  /** How many script calls came by. */
  calls(): number;
  /** How many answers were lost. */
  lost(): number;
  /** One of so many script calls loses its answer; 0: none. */
  loseOneOf(calls: number): void;
  close(): Promise<void>;
}

export async function openAnswerLosingProxy(port: number): Promise<AnswerLosingProxy> {
  let oneOf = 0;
  let calls = 0;
  let lost = 0;
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    let isLosing = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (data) => {
      const before = calls;
      calls += data.toString('latin1').split('evalsha').length - 1;
      // What travels together is lost together.
      if (oneOf > 0) isLosing ||= Math.floor(calls / oneOf) > Math.floor(before / oneOf);
      far.write(data);
    });
    far.on('data', (data) => {
      if (!isLosing) return void near.write(data);
      lost += 1;
      near.resetAndDestroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on a port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    calls: () => calls,
    lost: () => lost,
    loseOneOf(count) {
      oneOf = count;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
