/** The connections of one HTTP server, as far as its end must know them. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface OpenSockets {
  /** Those that have brought no whole head of a request yet; Node counts them as busy, and a close would wait for them. */
  silent(): readonly Socket[];
  /** Resolves when there is no connection any more, or after `maxMs`. */
  gone(maxMs: number): Promise<void>;
}

/** To be called before the server listens. */
export function watchSockets(server: Server): OpenSockets {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  let onNoneLeft = () => {};
  server.on('connection', (socket) => {
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
