/**
 * The masters of a Cluster, each with a connection of its own, and who has which slot. Promises: a call goes to one master and
 * never, by itself, to another: one that has moved is `gate_unavailable` here and somewhere else the next time, where the
 * identity is another one. So a segment that moved, or whose master was replaced, sells nothing until it is rebuilt (P1).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Fault } from '../../domain/fault.ts';
import { type Endpoint, type RedisAddress, writeEndpoint } from './address.ts';
import { CLIENT_TIMES, closeClient, createClient, nameOfAddress } from './client.ts';
import { type ConnectionOptions, createConnection, OPEN_ATTEMPTS, type RedisConnection } from './connection.ts';
import type { Masters } from './masters.ts';
import { SLOTS, slotOf } from './slots.ts';

export interface ClusterOptions extends Omit<ConnectionOptions, 'address' | 'onDoubt' | 'isNode'> {
  readonly address: Extract<RedisAddress, { kind: 'cluster' }>;
}

/** A change that nobody has met is seen within this. */
const LOOK_MS = 2_000;
/** While something is amiss the nodes are asked no more often than this. */
const BETWEEN_LOOKS_MS = 100;

/** Throws when no node tells who has what, or none of those who have something is there. */
export async function openCluster(options: ClusterOptions): Promise<Masters> {
  const { address, times = CLIENT_TIMES } = options;
  const owners: (RedisConnection | undefined)[] = new Array(SLOTS).fill(undefined);
  let masters: ReadonlyMap<string, RedisConnection> = new Map();
  // Any node that is with the majority tells; one that is not is left for the next.
  const known = [...address.seeds];
  const scout = createClient({ ...address, seeds: known }, times);
  let isLooking = false;
  let isClosed = false;

  async function look(): Promise<void> {
    const ranges = await askWhoHasWhat(scout);
    if (isClosed) return;
    const next = new Map<string, RedisConnection>();
    owners.fill(undefined);
    for (const { first, last, master } of ranges) {
      const name = writeEndpoint(master);
      const connection = next.get(name) ?? masters.get(name) ?? meet(master);
      next.set(name, connection);
      owners.fill(connection, first, last + 1);
    }
    for (const [name, connection] of masters) if (!next.has(name)) connection.close();
    masters = next;
    known.splice(0, known.length, ...uniqueOf([...address.seeds, ...ranges.map(({ master }) => master)]));
  }

  function meet(endpoint: Endpoint): RedisConnection {
    const connection = createConnection({
      ...options,
      address: { ...address, kind: 'server', endpoint, db: 0 },
      isNode: true,
      onDoubt: () => void lookSoon(),
    });
    // It goes on trying; who calls meanwhile is told.
    connection.opened().catch(() => {});
    return connection;
  }

  async function lookSoon(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      await look();
    } catch {
      // What was known stands: the next node is asked, in the next look.
      scout.disconnect(true);
    }
    await pause(BETWEEN_LOOKS_MS);
    isLooking = false;
  }

  const rounds = setInterval(() => void lookSoon(), LOOK_MS);
  rounds.unref();

  function close(): void {
    isClosed = true;
    clearInterval(rounds);
    closeClient(scout);
    for (const connection of masters.values()) connection.close();
  }

  async function open(): Promise<void> {
    // Where the first node is away, it goes on to the next.
    scout.connect().catch(() => {});
    const untilMs = Date.now() + OPEN_ATTEMPTS * times.connectMs;
    while (masters.size === 0) {
      try {
        await look();
      } catch (error) {
        if (isSure(error) || Date.now() > untilMs) throw cannotOpen(options, error);
        await pause(BETWEEN_LOOKS_MS);
      }
    }
    const met = await Promise.allSettled([...masters.values()].map((connection) => connection.opened()));
    const failed = met.find((each) => each.status === 'rejected');
    if (failed && met.every((each) => each.status === 'rejected')) throw failed.reason;
  }

  try {
    await open();
  } catch (error) {
    close();
    throw error;
  }
  return {
    of(key) {
      const owner = owners[slotOf(key)];
      if (!owner) throw new Fault('gate_unavailable', 'No master of the Cluster has the slot of a sale.');
      return owner;
    },
    all: () => [...masters.values()],
    get clockOffsetMs() {
      const offsets = [...masters.values()].flatMap(({ clockOffsetMs }) => clockOffsetMs ?? []);
      return offsets.length === 0 ? 0 : Math.min(...offsets);
    },
    close,
  };
}

interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: Endpoint;
}

type SlotsReply = readonly (readonly [
  first: number,
  last: number,
  master: readonly [host: string | null, port: number],
])[];

async function askWhoHasWhat(scout: Redis): Promise<readonly SlotRange[]> {
  const state = /^cluster_state:(\w+)/m.exec(String(await scout.call('CLUSTER', 'INFO')))?.[1];
  if (state !== 'ok') throw new Error(`a node says that the state of the Cluster is ${state}`);
  const reply = (await scout.call('CLUSTER', 'SLOTS')) as SlotsReply;
  if (reply.length === 0) throw new Error('no node has slots');
  const asked = scout.options.host ?? '';
  // A node that does not know its own name is where it was asked.
  return reply.map(([first, last, [host, port]]) => ({ first, last, master: { host: host || asked, port } }));
}

function uniqueOf(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return [...new Map(endpoints.map((endpoint) => [writeEndpoint(endpoint), endpoint])).values()];
}

/** No other node will say anything else. */
function isSure(error: unknown): boolean {
  return error instanceof Error && /cluster support disabled|unknown command|WRONGPASS|NOAUTH/i.test(error.message);
}

function cannotOpen({ address }: ClusterOptions, error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('gate_unavailable', `${nameOfAddress(address)} cannot be used: ${reason}`, error);
}
