/**
 * Who the server at the other end of a socket is. Its identity is the process together with its replication history: one that
 * was a replica meanwhile has another's data, and a new history when it is a master again (P1). A history also ends when a
 * first replica comes, or after an hour without any; that costs a rebuild, and nothing else.
 */
import { performance } from 'node:perf_hooks';
import type { Redis } from 'ioredis';
import { Fault } from '../../domain/fault.ts';

export interface ServerMet {
  readonly identity: string;
  /** How far the server's clock is ahead of this machine's. */
  readonly clockOffsetMs: number;
}

/** Bits enough, in every call. */
const ID_LENGTH = 20;

/** By `redis_mode`. */
const WRONG_FORM: Readonly<Record<string, string>> = {
  standalone: 'It is no node of a Cluster: write redis://.',
  cluster: 'It is a node of a Cluster: write redis+cluster://.',
  sentinel: 'It is a Sentinel: write redis+sentinel:// and the name of the master.',
};

/** Throws a fault when it is no master: nothing may be written to it. */
export async function meetServer(client: Redis, isNode: boolean): Promise<ServerMet> {
  const server = await client.info('server');
  const mode = fieldOf(server, 'redis_mode');
  const sentence = WRONG_FORM[mode];
  if (sentence !== undefined && mode !== (isNode ? 'cluster' : 'standalone'))
    throw new Fault('gate_unusable', sentence);
  const sentAtMs = performance.now();
  const [time, replication] = await Promise.all([client.time(), client.info('replication')]);
  const roundTripMs = performance.now() - sentAtMs;
  const role = fieldOf(replication, 'role');
  if (role !== 'master') throw new Fault('gate_unavailable', 'It is another server’s replica.');
  const [seconds = 0, micros = 0] = time.map(Number);
  return {
    identity: `${shortOf(server, 'run_id')}.${shortOf(replication, 'master_replid')}`,
    clockOffsetMs: Math.round(seconds * 1_000 + micros / 1_000 + roundTripMs / 2 - Date.now()),
  };
}

function shortOf(info: string, name: string): string {
  const id = fieldOf(info, name);
  if (id.length < ID_LENGTH) throw new Fault('gate_unusable', `Redis does not tell its ${name}.`);
  return id.slice(0, ID_LENGTH);
}

function fieldOf(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
}
