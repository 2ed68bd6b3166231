/**
 * Whether what was just claimed is on a replica, too. Asked once for a batch, on the connection that carried it: the server
 * counts the replicas that have all that this connection has seen done, so a claim that is only told again is covered as well.
 */
import { isGateFault } from '../../domain/fault.ts';
import type { RedisConnection } from './connection.ts';

/** A replica that is well answers within the way there and back. */
const PATIENCE_MS = 100;
/** While none does, each batch waits this long only: the connection stands still meanwhile. */
const SHORT_PATIENCE_MS = 10;

export type IsReplicated = (connection: RedisConnection, server: string) => Promise<boolean>;

export function createIsReplicated(): IsReplicated {
  const without = new WeakSet<RedisConnection>();
  return async (connection, server) => {
    try {
      const patienceMs = without.has(connection) ? SHORT_PATIENCE_MS : PATIENCE_MS;
      const replicas = Number(await connection.command('WAIT', 1, patienceMs));
      if (replicas > 0) without.delete(connection);
      else without.add(connection);
      // Another server's replicas say nothing of what was claimed at this one.
      return replicas > 0 && connection.identity() === server;
    } catch (error) {
      if (isGateFault(error)) return false;
      throw error;
    }
  };
}
