/** The masters that hold the keys: one, or those of a Cluster. */
import type { RedisConnection } from './connection.ts';

export interface Masters {
  /** Who has this key now. Throws `gate_unavailable` while nobody is known to have it. */
  of(key: string): RedisConnection;
  all(): readonly RedisConnection[];
  /** How far the clock of those that are there is ahead of this machine's at the least: a deadline told by it is never too late. */
  readonly clockOffsetMs: number;
  close(): void;
}

export function oneMaster(connection: RedisConnection): Masters {
  return {
    of: () => connection,
    all: () => [connection],
    get clockOffsetMs() {
      return connection.clockOffsetMs ?? 0;
    },
    close: () => connection.close(),
  };
}
