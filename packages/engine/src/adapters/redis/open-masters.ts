import { readRedisAddress } from './address.ts';
import { openCluster } from './cluster.ts';
import { type ConnectionOptions, openConnection } from './connection.ts';
import { type Masters, oneMaster } from './masters.ts';

export interface MastersOptions extends Omit<ConnectionOptions, 'address' | 'onDoubt' | 'isNode'> {
  /** As `SLUICE_REDIS_URL`: a server, Sentinels and a master's name, or nodes of a Cluster. */
  readonly url: string;
}

/** Throws a fault that says in words what is wrong with the address, or that nobody is there. */
export async function openMasters({ url, ...options }: MastersOptions): Promise<Masters> {
  const address = readRedisAddress(url);
  if (address.kind === 'cluster') return openCluster({ ...options, address });
  return oneMaster(await openConnection({ ...options, address }));
}
