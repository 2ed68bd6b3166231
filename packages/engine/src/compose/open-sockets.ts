/** The connections of one HTTP server, as far as its end must know them. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface OpenSockets {
  /** Those that have brought no whole head of a request yet; Node counts them as busy, and a close would wait for them. */
  silent(): readonly Socket[];
  /** Resolves when there is no connection any more, or after `maxMs`. */
  gone(maxMs: number): Promise<void>;
  /** Resolves after a turn that brought no connection, or a bounded number of turns: those that wait at a close are reset. */
  noneWaiting(): Promise<void>;
}

/** One connection is accepted a turn; so many wait at most in a listener of Node. */
const MAX_TURNS = 511;

/** To be called before the server listens. */
export function watchSockets(server: Server): OpenSockets {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  let accepted = 0;
  let onNoneLeft = () => {};
  server.on('connection', (socket) => {
    accepted++;
    open.add(socket);
    silent.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      silent.delete(socket);
      if (open.size === 0) onNoneLeft();
    });
  });
  server.on('request', ({ socket }) => {
    silent.delete(socket);
  });
  return {
    async noneWaiting() {
      for (let turn = 0, before = -1; turn < MAX_TURNS && before !== accepted; turn++) {
        before = accepted;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    silent: () => [...silent],
    gone(maxMs) {
      if (open.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timeout = setTimeout(resolve, maxMs);
        onNoneLeft = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
    },
  };
}
